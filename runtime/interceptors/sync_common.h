//===- sync_common.h - Marks of mutexes and the like; calls that wait -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc writes the program's mutexes, conditions, semaphores and so on. We know
// which words it writes (glibc 2.36). They are marked before the call, as
// instrumented code marks its own accesses. After an unlock or a post it would
// be too late: another thread may already have freed the object. A call that is
// refused (EPERM, EDEADLK) or finds the lock held counts as an attempt.
//
// A call that waits writes again when it continues, perhaps many periods later.
// Until then its objects are in flight. They are marked once more when the call
// returns or is cancelled.
//
// Taking a free lock must stay cheap, so a lock is tried first.
// pthread_mutex_trylock and the like write the same words as the calls that
// wait, for every kind of mutex but robust ones, which are not tried. The count
// of a recursive mutex that the caller holds is raised. One with a priority
// protocol raises the caller's priority. If trying fails it changes nothing,
// and the real call says why or waits. (sync_states.c holds each call in each
// state against libc's.)
//
// Allocators and other libraries take locks before the second phase, and while
// the real functions are being resolved. So each interceptor here resolves only
// its own function.
//
// These calls do not count for option end_period_calls. A period that ended
// within one would end while the program holds locks, which a callback may
// need.

#pragma once

#include "arch/shadow_base.h"
#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/unwindable.h"
#include "shadow/marking.h"

#include <stddef.h>
#include <sys/types.h> // libc's layouts of mutexes and the like

namespace pagetide {

constexpr int kSuccess = 0; // also thrd_success

//===- Marks of an object's words -----------------------------------------===//

inline void Write(const void *p, uptr at, uptr bytes) {
  MarkWrite((uptr)p + at, bytes);
}
inline void Read(const void *p, uptr at, uptr bytes) {
  MarkRead((uptr)p + at, bytes);
}
inline void MayWrite(const void *p, uptr at, uptr bytes) {
  MarkMayWrite((uptr)p + at, bytes);
}

/// Marks an object that has words which are read and words which are written.
/// Most objects lie within one granule. If this one does not, `exactly` marks
/// word by word.
template <uptr kBytes, typename Exactly>
inline __attribute__((always_inline)) void MarkObject(const void *p,
                                                      Exactly exactly) {
  if (!ShadowReady() || !InShadowedRange((uptr)p, kBytes))
    return;
  const uptr granule = GranuleOf((uptr)p);
  if (__builtin_expect(granule != GranuleOf((uptr)p + kBytes - 1), 0))
    return exactly();
  if (shadow.with_sites) {
    MarkWrite((uptr)p, kBytes);
    MarkRead((uptr)p, kBytes);
    return;
  }
  const uptr cell = CellIndexOf(granule);
  StoreCell(WriteCellOffset(cell), abi::kCellMarked);
  if (abi::records_reads(shadow.layout))
    StoreCell(ReadCellOffset(cell), abi::kCellMarked);
}

//===- What libc refuses before it looks at an object ---------------------===//

inline bool IsValidTime(const void *until) {
  const sptr nanoseconds = ValueAt((const sptr *)until + 1);
  return nanoseconds >= 0 && nanoseconds < 1000000000;
}
/// CLOCK_REALTIME or CLOCK_MONOTONIC.
inline bool IsClock(int clock) { return clock == 0 || clock == 1; }

//===- Calls that wait ----------------------------------------------------===//

/// Marks what a call that waits has done. `result` is 0 if it was cancelled.
using MarkFunction = void (*)(const void *object, const void *mutex,
                              int result);

/// A call that may wait, between the marks before and after it.
class Wait : Unwindable {
public:
  Wait(MarkFunction mark, InFlightKind kind, const void *object, uptr bytes,
       const void *mutex, uptr mutex_bytes)
      : Unwindable{Unwound, nullptr}, mark_(mark), object_(object),
        mutex_(mutex),
        mutex_in_flight_(mutex, mutex_bytes, InFlightKind::kObject),
        object_in_flight_(object, bytes, kind) {
    Push(*this);
  }
  ~Wait() {
    if (ShadowReady() && mark_)
      mark_(object_, mutex_, result_);
    Pop(*this);
  }
  int Returns(int result) { return result_ = result; }
  Wait(const Wait &) = delete;
  Wait &operator=(const Wait &) = delete;

private:
  static void Unwound(Unwindable *frame) { ((Wait *)frame)->~Wait(); }
  MarkFunction mark_;
  const void *object_, *mutex_;
  int result_ = 0;
  InFlightPart mutex_in_flight_, object_in_flight_;
};

/// Makes a call that may wait for `object`.
template <typename Real>
__attribute__((noinline)) int WaitFor(MarkFunction mark, const void *object,
                                      uptr bytes, Real real) {
  PAGETIDE_UNWINDABLE_FRAME();
  Wait wait(mark, InFlightKind::kObject, object, bytes, nullptr, 0);
  return wait.Returns(real());
}

} // namespace pagetide

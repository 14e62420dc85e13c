//===- sync_common.h - Marks of mutexes and their like, and calls that wait ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libc writes the program's mutexes, conditions, semaphores and so on. What it
// writes is known to the word (glibc 2.36), and marked before the call, as
// instrumented code marks its own accesses: after an unlock or a post another
// thread may have freed the object already. A call that was refused (EPERM,
// EDEADLK) or found the lock taken counts as an attempt.
//
// A call that waits writes again when it goes on, which may be many periods
// later: its objects are noted as in flight meanwhile, and marked once more
// when it returns, or is left by a cancellation.
//
// To take a lock that is free must stay cheap. A lock is tried first; what
// trying grants is what locking would have granted: pthread_mutex_trylock and
// its like make the same entries as the calls that wait, in every kind of mutex
// (a recursive one held by the caller is counted up, a robust one may come with
// EOWNERDEAD, one of a priority protocol raises the caller's). Where it grants
// nothing it changes nothing, and the real call says why or waits.
//
// Allocators and other libraries lock before the second phase, and while the
// real functions are looked up: each of these finds its own, by itself.
//
// These calls do not count for option end_period_calls: a period that ends
// within one would end with the program's locks held, which a callback may want.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_SYNC_COMMON_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_SYNC_COMMON_H

#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/unwindable.h"
#include "platform/gs_base.h"
#include "shadow/marking.h"

/// The real function; unlike RESOLVED, looks up no others.
#define REAL_OF(name)                                                          \
  (__builtin_expect(REAL(name) != nullptr, 1)                                  \
       ? REAL(name)                                                            \
       : (REAL(name) = (decltype(REAL(name)))ResolveReal(#name)))

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

/// Marks an object of which words are read and others written: most lie in one
/// granule whole. Where it does not, `exactly` marks word by word.
template <uptr kBytes, typename Exactly>
inline __attribute__((always_inline)) void MarkObject(const void *p,
                                                      Exactly exactly) {
  if (!ShadowReady() || !InShadowedRange((uptr)p, kBytes))
    return;
  const uptr granule = GranuleOf((uptr)p);
  if (__builtin_expect(granule != GranuleOf((uptr)p + kBytes - 1), 0))
    return exactly();
  const uptr cell = CellIndexOf(granule);
  StoreCell(WriteCellOffset(cell), abi::kCellMarked);
  if (abi::records_reads(shadow.layout))
    StoreCell(ReadCellOffset(cell), abi::kCellMarked);
}

//===- Calls that wait ----------------------------------------------------===//

/// What such a call has done. `result` is 0 where it was cancelled.
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
  InFlight mutex_in_flight_, object_in_flight_;
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

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_SYNC_COMMON_H

//===- interceptor.h - What all interceptors stand on ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Instrumented code marks its own accesses; what it has libc or the kernel do
// is marked by interceptors. Each of them:
//
//   PAGETIDE_INTERCEPTOR(int, name, parameters...) {
//     OnInterceptedCall();             // first
//     int result = RESOLVED(name)(...); // libc's
//     Wrote(p, bytes);                 // what it did
//     return result;
//   }
//
// and a line in intercepted.txt, from which the library's exports and
// docs/reference/interceptors.md come. An interceptor entered before the second
// phase, or in a process without instrumented code, does what the real function
// does: the functions below then mark nothing.
//
// These files declare libc's functions themselves, with types of their own:
// include no header of libc that declares one which the file intercepts.
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_INTERCEPTOR_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_INTERCEPTOR_H

#include "interceptors/period_by_calls.h"
#include "interceptors/real_functions.h"
#include "platform/program_memory.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"

#include <errno.h>

namespace pagetide {

template <typename T> inline T Min(T a, T b) { return a < b ? a : b; }

/// Strings without an end in sight.
constexpr uptr kNoBound = ~uptr{0} >> 1;
/// Ranges are marked and moved in steps, so that a mark precedes its access by
/// a bounded time (docs/reference/contract.md, Bounded skew).
constexpr uptr kStep = abi::kRangeStep;
constexpr uptr kTimeBytes = 16; ///< timespec, timeval

//===- Marks --------------------------------------------------------------===//

inline void DidRead(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkRead((uptr)p, bytes);
}
inline void DidWrite(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkWrite((uptr)p, bytes);
}
inline void MayHaveRead(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkMayRead((uptr)p, bytes);
}
inline void MayHaveWritten(const volatile void *p, uptr bytes) {
  if (ShadowReady())
    MarkMayWrite((uptr)p, bytes);
}
/// False where what the program reads is marked nowhere: libc's own functions
/// may do all of the work.
inline bool MarksReads() {
  return ShadowReady() && abi::records_reads(shadow.layout);
}
template <typename T> inline void DidReadAt(const T *p) {
  if (p)
    DidRead((const volatile void *)p, sizeof(T));
}
template <typename T> inline void DidWriteAt(const T *p) {
  if (p)
    DidWrite((const volatile void *)p, sizeof(T));
}

/// Bytes of a string without its end, by the real strlen; marks nothing.
uptr Length(const char *s);
inline void DidReadString(const char *s) {
  if (s && ShadowReady())
    MarkRead((uptr)s, Length(s) + 1);
}
inline void DidWriteString(const char *s) {
  if (s && ShadowReady())
    MarkWrite((uptr)s, Length(s) + 1);
}

/// A path that the kernel has been given: it read it unless the address was
/// bad, which the result tells.
inline void DidReadPath(const char *path, bool failed) {
  if (!failed || errno != EFAULT)
    DidReadString(path);
}

/// A value there; zero where it cannot be read.
template <typename T> T ValueAt(const T *p) {
  T value = {};
  if (p && !(ShadowReady() &&
             CopyFromProgram((void *)&value, (const void *)p, sizeof(value))))
    value = {};
  return value;
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_INTERCEPTOR_H

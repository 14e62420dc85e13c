//===- interceptor.h - What all interceptors stand on ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instrumented code marks its own accesses. Interceptors mark what libc or the
// kernel does for the program. Each interceptor has this form:
//
//   PAGETIDE_INTERCEPTOR(int, name, parameters...) {
//     OnInterceptedCall();              // first
//     int result = RESOLVED(name)(...); // libc's function
//     DidWrite(p, bytes);               // marks what it did
//     return result;
//   }
//
// and a line in intercepted.txt. The library's exports and
// docs/reference/interceptors.md are made from that file. Before the second
// phase, and in a process without instrumented code, an interceptor does what
// the real function does: the functions below mark nothing.
//
// The files of this folder declare libc's functions with types of their own. A
// file must not include a header that declares a function which it intercepts.

#pragma once

#include "interceptors/period_by_calls.h"
#include "interceptors/real_functions.h"
#include "platform/program_memory.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"

#include <errno.h>

namespace pagetide {

template <typename T> inline T Min(T a, T b) { return a < b ? a : b; }

/// The bound of strings without a bound.
constexpr uptr kNoBound = ~uptr{0} >> 1;
/// Ranges are marked and moved in steps, so that the time between a mark and
/// its access is bounded (docs/reference/contract.md, Bounded skew).
constexpr uptr kStep = abi::kRangeStep;
constexpr uptr kTimeBytes = 16; ///< timespec, timeval

//===- Marks --------------------------------------------------------------===//

// Without a shadow they do nothing.

inline void DidRead(const volatile void *p, uptr bytes) {
  MarkRead((uptr)p, bytes);
}
inline void DidReadBoth(const volatile void *a, const volatile void *b,
                        uptr bytes) {
  MarkReads((uptr)a, (uptr)b, bytes);
}
inline void DidWrite(const volatile void *p, uptr bytes) {
  MarkWrite((uptr)p, bytes);
}
inline void MayHaveRead(const volatile void *p, uptr bytes) {
  MarkMayRead((uptr)p, bytes);
}
inline void MayHaveWritten(const volatile void *p, uptr bytes) {
  MarkMayWrite((uptr)p, bytes);
}
/// False if the program's reads are not marked. Then libc's functions may do
/// all of the work.
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

/// Bytes of a string without its end. Calls the real strlen and marks nothing.
uptr Length(const char *s);
inline void DidReadString(const char *s) {
  if (s && ShadowReady())
    MarkRead((uptr)s, Length(s) + 1);
}
inline void DidWriteString(const char *s) {
  if (s && ShadowReady())
    MarkWrite((uptr)s, Length(s) + 1);
}

/// Characters of a string with its end, at most `most`, that can be read.
/// Unlike Length, it stops where memory ends. `known`: libc has read the first
/// one.
template <typename Char>
uptr ReadableLength(const Char *s, uptr most, bool known);
extern template uptr ReadableLength(const char *, uptr, bool);
extern template uptr ReadableLength(const wchar_t *, uptr, bool);

/// A string of which libc or the kernel has read a part, or nothing if not
/// `known`.
template <typename Char>
void MayHaveReadString(const Char *s, bool known, uptr most = kNoBound) {
  if (s && ShadowReady())
    MarkMayRead((uptr)s, ReadableLength(s, most, known) * sizeof(Char));
}

/// The kernel has read a path. If it has refused the call, it has looked at the
/// path only if the error says so.
void DidReadPath(const char *path, bool failed);

/// The value at p; zero if it cannot be read.
template <typename T> T ValueAt(const T *p) {
  T value = {};
  if (p && !(ShadowReady() &&
             CopyFromProgram((void *)&value, (const void *)p, sizeof(value))))
    value = {};
  return value;
}

} // namespace pagetide

//===- syscall_macros.h - Interceptors of system calls --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For functions that have the kernel read or write the program's memory, and
// for small functions of libc. They mark at return, when the kernel has said
// what it did. If the kernel refuses a call, it may or may not have read an
// argument. Sizes are those that the kernel and glibc use, not always those of
// the types (a signal set has 8 bytes of the type's 128).

#pragma once

#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"

namespace pagetide {

constexpr uptr kSignalSetBytes = 8; ///< what the kernel knows of a sigset_t

// With a third argument DidRead and DidWrite tell of a call that may have
// failed.

/// An argument that the kernel reads, unless it refuses the call first.
inline void DidRead(const void *p, uptr bytes, bool succeeded) {
  if (!p)
    return;
  if (succeeded)
    MarkRead((uptr)p, bytes);
  else
    MarkMayRead((uptr)p, bytes);
}
/// A result of a fixed size.
inline void DidWrite(void *p, uptr bytes, bool succeeded) {
  if (p && succeeded)
    MarkWrite((uptr)p, bytes);
  else if (p && errno == EFAULT)
    MarkMayWrite((uptr)p, bytes);
}

} // namespace pagetide

// Defines an interceptor. `before` runs before the real function, and `after`
// marks after it. `result` is the real function's.
#define PAGETIDE_AROUND(type, name, parameters, arguments, before, after)      \
  PAGETIDE_INTERCEPTOR(type, name, PAGETIDE_UNPACK parameters) {               \
    OnInterceptedCall();                                                       \
    before;                                                                    \
    type result = RESOLVED(name) arguments;                                    \
    if (ShadowReady()) {                                                       \
      after;                                                                   \
    }                                                                          \
    return result;                                                             \
  }
#define PAGETIDE_AFTER(type, name, parameters, arguments, after)               \
  PAGETIDE_AROUND(type, name, parameters, arguments, , after)

//===- guards.h - Calls that reach our own means --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_GUARDS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_GUARDS_H

#include "platform/syscalls.h"

namespace pagetide {

/// Refuses, or takes note of, what a bare system call would do to the means of
/// the runtime.
void BeforeBareCall(long number, const u64 (&arguments)[6]);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_GUARDS_H

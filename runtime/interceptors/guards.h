//===- guards.h - Calls that could break the runtime ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_GUARDS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_GUARDS_H

#include "platform/syscalls.h"

namespace pagetide {

/// Refuses a bare system call that would break the runtime, or notes what it
/// changes.
void BeforeBareCall(long number, const u64 (&arguments)[6]);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_GUARDS_H

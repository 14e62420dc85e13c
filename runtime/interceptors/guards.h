//===- guards.h - Calls that could break the runtime ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Refuses a bare system call that would break the runtime, or notes what it
/// changes.
void BeforeBareCall(long number, const u64 (&arguments)[6]);

/// Whether a bare system call changes what addresses hold. Then it is made
/// while a ChangingMappings exists, and NoteBareChange follows with what libc's
/// syscall() returned.
bool ChangesMappings(long number);
/// Whether others may write the memory afterwards.
bool MayShareMappings(long number, const u64 (&arguments)[6]);
void NoteBareChange(long number, const u64 (&arguments)[6], long result);

} // namespace pagetide

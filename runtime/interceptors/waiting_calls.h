//===- waiting_calls.h - What calls that wait may be writing --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

struct MemoryRange {
  uptr begin = 0, bytes = 0;
};

/// What the kernel may be writing while a system call waits, by its number. Of
/// several ranges, what spans them.
MemoryRange WrittenWhileWaiting(long number, const u64 (&arguments)[6]);

} // namespace pagetide

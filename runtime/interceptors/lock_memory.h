//===- lock_memory.h - mlockall without the shadow ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// mlockall for the program: locks the program's own mappings one by one.
/// Returns 0 or an errno.
int LockAllMemory(int flags);

} // namespace pagetide

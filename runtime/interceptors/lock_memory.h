//===- lock_memory.h - mlockall without the shadow ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_LOCK_MEMORY_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_LOCK_MEMORY_H

namespace pagetide {

/// mlockall for the program: locks the program's own mappings one by one.
/// Returns 0 or an errno.
int LockAllMemory(int flags);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_LOCK_MEMORY_H

//===- fork.h - Keeping parent and child apart ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_STARTUP_FORK_H
#define PAGETIDE_RUNTIME_STARTUP_FORK_H

namespace pagetide {

/// Registers handlers of fork: the child gets a shadow and a recorder of its
/// own.
void InitFork();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_STARTUP_FORK_H

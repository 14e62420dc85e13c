//===- process.h - fork, exec and exit ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_PROCESS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_PROCESS_H

namespace pagetide {

/// What the child does after libc's _Fork, which runs no handlers.
void InChildOfUnderscoreFork();
/// In a forked child, where the thread that was exiting does not exist.
void ForgetExitInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_PROCESS_H

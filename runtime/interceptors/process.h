//===- process.h - fork, exec and exit ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_PROCESS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_PROCESS_H

namespace pagetide {

/// The child's part after libc's _Fork, which runs no handlers.
void InChildOfUnderscoreFork();
/// In a forked child: the thread that was exiting is not there.
void ForgetExitInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_PROCESS_H

//===- fork_reset.h - Variables of the recorder's threads -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_FORK_RESET_H
#define PAGETIDE_RUNTIME_PLATFORM_FORK_RESET_H

/// On every variable that the recorder's or the writer's thread uses alone.
/// Such a variable starts as all zeros. In a forked child those threads do not
/// exist, and the copies of their variables may be half changed. So the child
/// sets all of them to zero at once (RenewRecorderInChild), unmaps what they
/// pointed to (ForgetRawThreads) and starts again.
#define PAGETIDE_RECORDER_STATE                                                \
  __attribute__((section("pagetide_recorder_state")))

#endif // PAGETIDE_RUNTIME_PLATFORM_FORK_RESET_H

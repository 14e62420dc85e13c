//===- fork_reset.h - Variables that a forked child does not keep ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

/// On every variable that the recorder's or the writer's thread uses alone.
/// Such a variable starts as all zeros. In a forked child those threads do not
/// exist, and the copies of their variables may be half changed. So the child
/// sets all of them to zero at once (RenewRecorderInChild), unmaps what they
/// pointed to (ForgetRawThreads) and starts again.
#define PAGETIDE_RECORDER_STATE                                                \
  __attribute__((section("pagetide_recorder_state")))

/// On variables of all threads that are zero in a forked child: locks, and what
/// counts threads or calls of this process. The child sets them to zero before
/// it does anything else (RenewInChild). What a child keeps has neither of the
/// two: runtime/kept_in_child.txt lists it, and a test holds the list against
/// the library.
#define PAGETIDE_ZERO_IN_CHILD                                                 \
  __attribute__((section("pagetide_zero_in_child")))

namespace pagetide {

void ZeroRecorderState();
void ZeroInChild();

} // namespace pagetide

//===- step_out.h - The runtime's threads end and come back -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel lets only a process of one thread enter another user namespace,
// among other things. A program of one thread may do so when it is recorded,
// too: the runtime's threads end before such a call and start again after it.
// All that they know stays in memory, and their descriptors in a socket.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

//===- On the thread that makes the call ----------------------------------===//

/// Runs call(argument) while the caller is the only thread of the process. Does
/// nothing and returns false if the program has other threads, if there is no
/// recorder, or if its threads cannot end. `name` is the system call's.
bool RunAlone(const char *name, void (*call)(void *argument), void *argument);

/// Ends the recording, for the reason told, and the runtime's threads, which
/// never come back.
void LeaveForGood(const char *why);

//===- On the recorder's thread -------------------------------------------===//

/// Ends the other threads, and sends the descriptors. The recorder's own thread
/// is to end when this is answered. Returns a pagetide_status.
int StepOut(int socket_of_program);
int StepOutForGood();
bool HasSteppedOut();

/// Starts the other threads again, or bails out. Does nothing on a thread that
/// does not come back.
void StepIn();

} // namespace pagetide

//===- late_start_point.h - Calls at which marks can be switched on -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switching marks on takes locks and memory, which a signal handler must not.
// The handler of pagetide ctl's signal may if it has interrupted code of the
// program, or a system call that waits. Otherwise it arms a late start: the
// next suitable call of a function of this library carries it out. While marks
// are off, such a function jumps to libc's through a variable. Arming sets all
// of these to null, so that calls come here. Nothing has to be tested before
// that.

#pragma once

#include <signal.h>
#include <ucontext.h>

namespace pagetide {

/// First phase.
void InitLateStartPoint();

/// While marks are off, in a handler of `signal`: has `start` called once, on a
/// thread of the program, where it may take locks and memory. False if that is
/// not here and now.
bool LateStart(void (*start)(), const siginfo_t &signal,
               const ucontext_t &interrupted);

/// In a forked child. What its parent was asked is not the child's.
void RenewLateStartPointInChild();

} // namespace pagetide

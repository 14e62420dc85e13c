//===- late_start_point.h - Calls at which marks can be switched on -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Switching marks on takes locks and memory, which a signal handler must not.
// So the handler of pagetide ctl's signal arms a late start: the next suitable
// call of a function of this library carries it out. While marks are off, such
// a function jumps to libc's through a variable. Arming sets all of these to
// null, so that calls come here. Nothing has to be tested before that.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_LATE_START_POINT_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_LATE_START_POINT_H

namespace pagetide {

/// First phase: notes which signals the program blocks from its start.
void InitLateStartPoint();

/// While marks are off: has `start` called once, on a thread of the program,
/// where it may take locks and memory. Async-signal-safe.
void ArmLateStart(void (*start)());

/// In a forked child. What its parent was asked is not the child's.
void RenewLateStartPointInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_LATE_START_POINT_H

//===- windows.h - Recording in windows of time -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the options window and every, marks are on in windows. A window's
// periods are as ever. Between two windows there is one period, with marks off
// (trace::kPeriodOff): what it has is true, and most is missing.
//
// A thread's sets are exact from the moment when it has changed to marked code
// (pass/Windows.h). It says so by a mark, which the recorder finds at the end
// of a period. So the first period of a window is a tenth of it, if periods are
// longer. A thread that began in the window, or that did not run in it, is
// exact throughout.
//
// All functions are of the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_WINDOWS_H
#define PAGETIDE_RUNTIME_RECORDER_WINDOWS_H

#include "platform/syscalls.h"

namespace pagetide {

/// A recording begins: the first window, if options ask for windows.
void BeginWindows(u64 now);

/// The recording has ended. Marks are on.
void EndWindows();

/// The flags of the open period, trace::kPeriodOff or none.
u32 FlagsOfWindow();

/// A period has ended. Opens or closes a window if it is time to.
void PassPeriod();

/// When the open period ends; `end` without windows.
u64 EndWithinWindow(u64 from, u64 end);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_WINDOWS_H

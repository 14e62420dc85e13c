//===- windows.h - Recording in windows of time -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With the options window and every, marks are on in windows. A window's
// periods are as ever. Between two windows there is one period, with marks off
// (trace::kPeriodOff): what it has is true, and most is missing. If marks were
// off when the recording began, all of it is one window.
//
// A thread's sets are exact from the moment when it has changed to marked code
// (pass/Windows.h). It says so by a mark, which the recorder finds at the end
// of a period: the sets of the next one are exact. So the first period of a
// window is a tenth of it, if periods are longer. A thread that began in the
// window, or that did not run in it, is exact throughout.
//
// All functions are of the recorder's thread.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

inline constexpr char kNoChecksumsInWindows[] =
    "windows do not work with checksums: code that still runs without marks "
    "could write a page whose checksum is called stable";

/// A recording begins as record_config says. Switches marks on if they are off.
/// The thread of slot `asker` waits until it has begun; kFallbackSlot: none.
void BeginWindows(u64 now, u32 asker);

/// Other windows from now on; 0: marks are on throughout. Call Schedule then.
/// False if a file of the program was not built for windows.
bool ChangeWindows(u64 window_ns, u64 every_ns);

/// The recording has ended.
void EndWindows();

/// Whether marks are to be off when nothing is recorded. In a program that is
/// built on demand and uses the C API they stay on: code that began without
/// them would not have them in the program's next recording.
bool MayMarksRest();

/// The flags of the open period, trace::kPeriodOff or none.
u32 FlagsOfWindow();

/// The marks of a period that ends at `boundary` have been taken, and none
/// since.
void NoteCoveredThreads(u64 boundary);

/// The recording's last period has been taken, and the End frame follows.
void StateInLastPeriod();

/// A period has ended. Opens or closes a window if it is time to.
void PassPeriod();

/// When the open period ends; `end` without windows.
u64 EndWithinWindow(u64 from, u64 end);

} // namespace pagetide

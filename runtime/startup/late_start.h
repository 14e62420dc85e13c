//===- late_start.h - Switching marks on while the program runs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Why marks cannot be switched on while the program runs, for what would
/// otherwise end it; null if they can. Not async-signal-safe.
const char *WhyMarksStayOff();

/// Switches marks on while the program runs: calls made from then on reach
/// marked code. Returns when they are on. Does nothing if they are, or if the
/// process has no instrumented code. `late`: this is a late start, which means
/// that instrumented code has run without marks. The trace says so. Not
/// async-signal-safe.
void SwitchMarksOn(bool late);

} // namespace pagetide

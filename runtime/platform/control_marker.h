//===- control_marker.h - Shows that pagetide ctl can reach the process ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Maps the marker (pagetide/control.h): from now on the process handles
/// `signal`. If something else is mapped there, there is no marker, and ctl
/// sends nothing.
void ShowControlMarker(u32 signal);

/// The program has set an action of its own for `signal`. If that is the
/// marker's, unmaps it.
void OnSignalAction(u32 signal);

} // namespace pagetide

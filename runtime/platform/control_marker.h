//===- control_marker.h - Shows that pagetide ctl can reach the process ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Maps the marker (pagetide/control.h): from now on the process handles
/// `signal`. If something else is mapped there, there is no marker, and ctl
/// sends nothing.
void ShowControlMarker(u32 signal, const void *handler);

/// The program has set an action of its own for `signal`. If that is the
/// marker's, unmaps it.
void OnSignalAction(u32 signal);

/// A program that asks for the action of ctl's signal hears that it has set
/// none: instead of the runtime's handler it gets SIG_DFL. Returns whether.
bool HideControlAction(void *&handler);

} // namespace pagetide

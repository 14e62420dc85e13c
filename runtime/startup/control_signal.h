//===- control_signal.h - How pagetide ctl reaches the process ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// First phase, in a process with instrumented code: handles the signal of
/// option control_signal if its action is the default, and shows the marker of
/// pagetide/control.h. Not in a set-user-ID program, which takes no orders from
/// its caller.
void InitControlSignal();

} // namespace pagetide

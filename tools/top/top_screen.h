//===- top_screen.h - The screen of pagetide top --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "top/live_processes.h"

#include <chrono>

namespace pagetide::tools {

/// Shows the processes on the terminal, anew after each `delay`, until the user
/// ends it. `of_one`: only the process to which `processes` are limited. The
/// terminal is as it was afterwards, whatever ends it. Throws Failure if the
/// terminal cannot be used.
void show_on_terminal(LiveProcesses &processes, bool of_one,
                      std::chrono::milliseconds delay);

} // namespace pagetide::tools

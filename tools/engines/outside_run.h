//===- outside_run.h - Recording by engines that watch from outside -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watcher is a process of its own, in a session of its own. So what it has
// done to the program is undone even if record is killed: the watcher sees that
// and lets the program go.

#pragma once

#include "engines/watcher.h"
#include "record/child_process.h"

#include <string>
#include <vector>

namespace pagetide::tools {

struct OutsideRun {
  WatchRequest watch;
  /// The command to run; or none, and the process to attach to.
  std::vector<std::string> command;
  pid_t pid = 0;
};

struct OutsideResult {
  bool recorded = false;
  int start_error = 0; ///< errno, if the command could not be executed
  ExitStatus status;   ///< of the command
};

/// Records until the command or the process has ended. Says where the traces
/// are. Throws Failure if recording cannot begin.
OutsideResult run_outside(const OutsideRun &run);

/// Why the process cannot be attached to: empty if it can. The text names the
/// process and the remedy.
std::string why_not_to_attach(pid_t pid);

/// The engine for a running process on this kernel. Throws Failure if there is
/// none.
engines::Kind engine_to_attach();

} // namespace pagetide::tools

//===- emulated_run.h - Runs a command in QEMU, and records it ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/trace_files.h"
#include "record/child_process.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {

struct EmulatedRunOptions {
  std::uint64_t period_ns = 0; ///< 0: only the program ends periods
  bool per_thread = false;
  bool no_aslr = false;
  TraceOutput *output = nullptr; ///< null: no traces
  /// If not empty: programs record themselves, and a file for each process in
  /// this directory says how marks and accesses differ.
  std::string compared;
  std::string runtime_options; ///< for these programs
};

/// Looks whether QEMU can run the command, and has our plugin. `file` is where
/// the command is. Throws Failure, by name and with the remedy.
void check_emulation(const std::string &file);

/// Runs the command, and writes the traces of all its processes. Says where
/// they are. Throws Failure if nothing could be started.
ExitStatus run_emulated(const EmulatedRunOptions &options,
                        const std::string &file,
                        const std::vector<std::string> &command,
                        const QuietPipes &pipes);

} // namespace pagetide::tools

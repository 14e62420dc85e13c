//===- record_ways.h - What all ways to record a command share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/trace_files.h"
#include "commands/recording_options.h"
#include "pagetide/engines.h"
#include "record/auto_engine.h"
#include "record/child_process.h"

#include <optional>
#include <string>
#include <vector>

namespace pagetide::tools {

/// The same as those of env(1).
enum RecordStatus : int {
  kRecordFailed = 125,
  kCannotExecute = 126,
  kCommandNotFound = 127,
};

/// The name that is no engine's: record chooses.
inline constexpr const char kAuto[] = "auto";

struct RecordOptions : RecordingOptions {
  std::string engine = kAuto;

  std::string pid;      ///< empty: a command is started
  std::string duration; ///< of --for
  std::string on_failure;
  bool kernel_writes = false;
  bool no_output = false;
  bool no_aslr = false;
};

/// Ends this process in the same way as the command ended.
int pass_on(const ExitStatus &status);

/// `error` is an errno. Returns the status to end with.
int say_cannot_start(const std::string &command, int error);

/// The trace's place; nothing with --no-output.
std::optional<TraceOutput> trace_output(const RecordOptions &options,
                                        const std::string &program);

//===- Without code of ours in the program (record_outside.cpp) -----------===//
/// What the options, and those of PAGETIDE_OPTIONS, ask of an engine.
Asked asked_of(const RecordOptions &options);

/// --pid.
int record_process(const RecordOptions &options);
int record_from_outside(const RecordOptions &options,
                        const engines::Capabilities &engine,
                        const std::vector<std::string> &command,
                        const std::string &file, const ProgramFile &program);
/// By engine emulate.
int record_emulated(const RecordOptions &options, const std::string &file,
                    const std::vector<std::string> &command);

} // namespace pagetide::tools

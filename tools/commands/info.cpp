//===- info.cpp - pagetide info -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/trace_files.h"
#include "commands/command.h"
#include "report/report_text.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace pagetide::tools {

namespace {

struct InfoOptions {
  std::string file;
};

int run_info(const InfoOptions &options) {
  TraceReader reader = TraceReader::open(
      options.file.empty() ? newest_trace_here() : options.file);
  const std::string text = info_text(reader);
  TextOutput out;
  out.write(text);
  out.close();
  return reader.completeness().is_complete() ? kStatusDone : kStatusNegative;
}

CommandRun set_up_info(CLI::App &app) {
  const auto options = std::make_shared<InfoOptions>();
  app.add_option("FILE", options->file,
                 "The trace. [the newest in this directory]");
  return [options](const std::vector<std::string> &) {
    return run_info(*options);
  };
}

} // namespace

extern const Command kInfoCommand = {
    "info",
    "Show a trace's header, and whether it is whole (exit status)",
    "[FILE]",
    "pagetide info run.ptrace",
    "Exit status 0: the trace is complete; 1: it lacks something, and the text "
    "says what; 2: it could not be read, or is not a trace.",
    set_up_info,
};

} // namespace pagetide::tools

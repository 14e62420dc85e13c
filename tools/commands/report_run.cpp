//===- report_run.cpp - From the traces of a run to a report --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/report_run.h"

#include "commands/command.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace pagetide::tools {

KindOptions declare_kind(CLI::App &app) {
  KindOptions options;
  declare_report_options(app, options.report);
  declare_selection(app, options.selection);
  return options;
}

int add_traces(const std::vector<std::string> &traces,
               const Selection &selection, RunReport &report) {
  const std::uint64_t run_start = start_of_run(traces);
  int status = kStatusDone;
  SelectionMatch match;
  for (const std::string &file : traces) {
    try {
      const std::unique_ptr<SelectedTrace> trace =
          open_selected(file, selection, run_start);
      report.add(*trace);
      match.add(*trace);
      if (trace->completeness().integrity() == Integrity::kDamaged) {
        say("{}: {}", printable(file), trace->completeness().sentence());
        status = kStatusFailed;
      }
    } catch (const Failure &failure) {
      // Report the other traces all the same.
      say("{}", failure.what());
      status = kStatusFailed;
    }
  }
  match.require();
  return status;
}

int run_kind(const ReportOptions &options, const Selection &selection,
             const std::vector<std::string> &traces, RunReport &report,
             const char *hint) {
  const int status = add_traces(traces, selection, report);
  if (report.traces().empty())
    return kStatusFailed;
  ReportStyle style = style_of_terminal();
  style.top = options.top;
  TextOutput out;
  out.write(options.json ? report.json(selection.words()).dump() + "\n"
                         : report.text(selection.words(), style) + hint);
  out.close();
  return status;
}

int run_kind(const KindOptions &options, RunReport &report) {
  const std::vector<std::string> traces = traces_of(*options.report);
  check_selection(*options.selection);
  return run_kind(*options.report, *options.selection, traces, report);
}

} // namespace pagetide::tools

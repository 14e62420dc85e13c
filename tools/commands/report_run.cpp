//===- report_run.cpp - From the traces of a run to a report --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/report_run.h"

#include "commands/command.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <fmt/format.h>

namespace pagetide::tools {

KindOptions declare_kind(CLI::App &app, const RunReport &kind) {
  KindOptions options;
  declare_report_options(app, options.report);
  app.add_flag("--csv", options.table->csv,
               "The rows of the table as CSV, all of them.")
      ->excludes(app.get_option("--json"));
  app.add_option_function<std::string>(
         "--sort",
         [table = options.table](const std::string &column) {
           table->sort = column;
         },
         fmt::format("The order of the rows, by one of these columns: {}. Of "
                     "numbers the largest come first, of times, ids and ages "
                     "the smallest. [the kind's own order]",
                     column_names(kind.columns())))
      ->type_name("COLUMN");
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
             bool csv, const char *hint) {
  const int status = add_traces(traces, selection, report);
  if (report.traces().empty())
    return kStatusFailed;
  ReportStyle style = style_of_terminal();
  style.top = options.top;
  TextOutput out;
  out.write(csv            ? csv_of(report)
            : options.json ? dumped(report.json(selection.words())) + "\n"
                           : report.text(selection.words(), style) + hint);
  out.close();
  return status;
}

int run_kind(const KindOptions &options, RunReport &report) {
  if (!options.table->sort.empty())
    report.sort_by(options.table->sort);
  const std::vector<std::string> traces = traces_of(*options.report);
  check_selection(*options.selection);
  return run_kind(*options.report, *options.selection, traces, report,
                  options.table->csv);
}

std::string csv_of(const RunReport &report) {
  for (const std::string &loss : describe_losses(report.traces()))
    say("{}", loss);
  return report.csv();
}

} // namespace pagetide::tools

//===- report_run.h - From the traces of a run to a report ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/selection.h"
#include "commands/report_options.h"
#include "report/run_report.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {

inline constexpr const char kKindUsage[] = "[OPTIONS] [FILE...]";
inline constexpr const char kKindStatuses[] =
    "Exit status 0: done; 2: a file could not be read or reported, or is "
    "damaged.";

/// Which form the table of a kind has.
struct TableOptions {
  bool csv = false;
  std::string sort; ///< a column; empty: the kind's own order
};

/// What every kind of report is told.
struct KindOptions {
  std::shared_ptr<ReportOptions> report = std::make_shared<ReportOptions>();
  std::shared_ptr<Selection> selection = std::make_shared<Selection>();
  std::shared_ptr<TableOptions> table = std::make_shared<TableOptions>();
};

/// `kind` says which columns there are.
KindOptions declare_kind(CLI::App &app, const RunReport &kind);

/// Adds what is selected of the traces to the report. Returns the exit status.
/// If nothing could be added, the report has no traces.
int add_traces(const std::vector<std::string> &traces,
               const Selection &selection, RunReport &report);

/// The same, and prints it. `hint` is what follows the report for people.
int run_kind(const ReportOptions &options, const Selection &selection,
             const std::vector<std::string> &traces, RunReport &report,
             bool csv = false, const char *hint = "");
int run_kind(const KindOptions &options, RunReport &report);

/// The kind's table as CSV. What the traces lack goes to standard error: CSV
/// has no place for it.
std::string csv_of(const RunReport &report);

} // namespace pagetide::tools

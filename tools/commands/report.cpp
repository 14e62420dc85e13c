//===- report.cpp - pagetide report ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"
#include "commands/report_options.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/summary.h"
#include "support/failure.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace pagetide::tools {

namespace {

/// Writes the report trace by trace. There can be many traces, and each summary
/// is large.
class Report {
public:
  explicit Report(bool json) : json_(json), style_(style_of_terminal()) {}

  void set_top(std::size_t top) { style_.top = top; }

  void begin() {
    if (json_)
      out_.write("{\"pagetide_report\":1,\n\"traces\":[");
  }
  void add(const Summary &summary) {
    if (json_) {
      out_.write(rows_.empty() ? "\n" : ",\n");
      out_.write(report_json(summary));
    } else {
      if (!rows_.empty())
        out_.write("\n");
      out_.write(report_text(summary, style_));
    }
    rows_.push_back(totals_row(summary));
  }
  void finish() {
    if (json_) {
      std::uint64_t periods = 0;
      std::uint64_t incomplete = 0;
      for (const TotalsRow &row : rows_) {
        periods += row.periods;
        incomplete += !row.complete;
      }
      const nlohmann::ordered_json totals = {{"traces", rows_.size()},
                                             {"incomplete", incomplete},
                                             {"periods", periods}};
      out_.write(fmt::format("\n],\n\"totals\":{}}}\n", totals.dump()));
    } else if (rows_.size() > 1) {
      out_.write("\n");
      out_.write(totals_text(rows_));
    }
    out_.close();
  }

private:
  bool json_;
  ReportStyle style_;
  TextOutput out_;
  std::vector<TotalsRow> rows_;
};

int run_report(const ReportOptions &options) {
  int status = kStatusDone;
  Report report(options.json);
  report.set_top(options.top);
  report.begin();
  for (const std::string &file : traces_of(options)) {
    try {
      const Summary summary = summarize(file);
      report.add(summary);
      if (summary.completeness.integrity() == Integrity::kDamaged) {
        fmt::print(stderr, "pagetide: {}: {}\n", printable(file),
                   summary.completeness.sentence());
        status = kStatusFailed;
      }
    } catch (const Failure &failure) {
      // Report the other traces all the same.
      fmt::print(stderr, "pagetide: {}\n", failure.what());
      status = kStatusFailed;
    }
  }
  report.finish();
  return status;
}

CommandRun set_up_report(CLI::App &app) {
  const auto options = std::make_shared<ReportOptions>();
  declare_report_options(app, options);
  return [options](const std::vector<std::string> &) {
    return run_report(*options);
  };
}

} // namespace

extern const Command kReportCommand = {
    "report",
    "Summarise traces for a person, or with --json for a program",
    "[KIND] [OPTIONS] [FILE...]",
    "pagetide report run.ptrace",
    "Exit status 0: done; 2: a file could not be read, or is damaged.",
    set_up_report,
    kStatusFailed,
    false,
    "A kind's name wins over a file's. For a FILE of that name write ./NAME, "
    "as "
    "in:",
    "pagetide report ./wss",
    report_kinds,
};

} // namespace pagetide::tools

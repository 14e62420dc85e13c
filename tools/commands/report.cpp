//===- report.cpp - pagetide report ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/command.h"
#include "record/trace_files.h"
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
#include <set>

namespace pagetide::tools {

namespace {

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  bool only = false;
  std::size_t top = 10;
};

/// The files that the user names, each followed by the other traces of its run.
std::vector<std::string> traces_of(const ReportOptions &options) {
  std::vector<std::string> traces;
  std::set<std::string> seen;
  const auto add = [&](const std::string &file) {
    if (seen.insert(file).second)
      traces.push_back(file);
  };
  std::vector<std::string> files = options.files;
  if (files.empty())
    files.push_back(newest_trace_here());
  for (const std::string &file : files) {
    RunFiles run;
    if (!options.only) {
      run = files_of_run(file);
      say_left_out(file, run);
    }
    // With --only, or if there is neither FILE nor a FILE.<pid>. In the second
    // case, opening FILE says so.
    if (run.traces.empty())
      add(file);
    for (const std::string &trace : run.traces)
      add(trace);
  }
  return traces;
}

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
  app.add_option("FILE", options->files,
                 "Traces. For each, the report also finds the traces of other "
                 "processes of its run (FILE.<pid>). [the newest in this "
                 "directory]");
  app.add_flag("--json", options->json,
               "One JSON document, described in docs/reference/cli-output.md.");
  app.add_flag("--only", options->only,
               "Only these files, without other processes of their runs.");
  add_number(app, "--top", "N", "At most N lines in a table. [10]",
             [options](std::uint64_t top) { options->top = top; });
  return [options](const std::vector<std::string> &) {
    return run_report(*options);
  };
}

} // namespace

extern const Command kReportCommand = {
    "report",
    "Summarise traces for a person, or with --json for a program",
    "[OPTIONS] [FILE...]",
    "pagetide report run.ptrace",
    "Exit status 0: done; 2: a file could not be read, or is damaged.",
    set_up_report,
    kStatusFailed,
    false,
};

} // namespace pagetide::tools

//===- report.cpp - pagetide report ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/summary.h"
#include "analysis/trace_files.h"
#include "commands/command.h"
#include "commands/report_kinds.h"
#include "commands/report_options.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "support/failure.h"
#include "support/json.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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
      out_.write(traces_ == 0 ? "\n" : ",\n");
      out_.write(report_json(summary));
    } else {
      if (traces_ != 0)
        out_.write("\n");
      out_.write(report_text(summary, style_));
    }
    ++traces_;
    periods_ += summary.periods;
    incomplete_ += !summary.completeness.is_complete();
  }
  void finish() {
    if (json_) {
      const Json totals = {{"traces", traces_},
                           {"incomplete", incomplete_},
                           {"periods", periods_}};
      out_.write(fmt::format("\n],\n\"totals\":{}}}\n", totals.dump()));
    }
    out_.close();
  }

private:
  bool json_;
  ReportStyle style_;
  TextOutput out_;
  std::uint64_t traces_ = 0;
  std::uint64_t periods_ = 0;
  std::uint64_t incomplete_ = 0;
};

struct PlainOptions {
  std::shared_ptr<ReportOptions> report = std::make_shared<ReportOptions>();
  bool each = false;
};

int run_report(const PlainOptions &plain) {
  const ReportOptions &options = *plain.report;
  const std::vector<std::string> traces = traces_of(options);
  const auto readable =
      std::ranges::count_if(traces, [](const std::string &file) {
        return start_of_trace(file).has_value();
      });
  if (readable > 1 && !plain.each && !options.json)
    return report_processes(options, traces);
  int status = kStatusDone;
  Report report(options.json);
  report.set_top(options.top);
  report.begin();
  for (const std::string &file : traces) {
    try {
      const Summary summary = summarize(file);
      report.add(summary);
      if (summary.completeness.integrity() == Integrity::kDamaged) {
        say("{}: {}", printable(file), summary.completeness.sentence());
        status = kStatusFailed;
      }
    } catch (const Failure &failure) {
      // Report the other traces all the same.
      say("{}", failure.what());
      status = kStatusFailed;
    }
  }
  report.finish();
  return status;
}

CommandRun set_up_report(CLI::App &app) {
  const auto options = std::make_shared<PlainOptions>();
  declare_report_options(app, options->report);
  app.add_flag("--each", options->each,
               "If there are several traces, show each in full, not one page "
               "with the table of `pagetide report processes`.");
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

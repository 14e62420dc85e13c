//===- report.cpp - pagetide report ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/summary.h"
#include "analysis/trace_files.h"
#include "commands/command.h"
#include "commands/report_options.h"
#include "commands/report_run.h"
#include "report/report_json.h"
#include "report/report_kinds.h"
#include "report/report_text.h"
#include "report/sites_report.h"
#include "report/wss_report.h"
#include "support/code_places.h"
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
#include <string>
#include <vector>

namespace pagetide::tools {

namespace {

using MadeKind = std::unique_ptr<RunReport>;

MadeKind make_wss(std::size_t rows) {
  return std::make_unique<WssReport>(rows);
}
MadeKind make_checksums(std::size_t rows) {
  return make_checksums_report(rows);
}

template <MadeKind (*kMake)(std::size_t rows)>
CommandRun set_up_with_rows(CLI::App &app) {
  const KindOptions options = declare_kind(app, *kMake(kStretches));
  const auto rows = std::make_shared<std::size_t>(kStretches);
  add_number(app, "--rows", "N",
             "At most N stretches of time, and at least 2. [20]",
             [rows](std::uint64_t number) { *rows = number; });
  return [options, rows](const std::vector<std::string> &) {
    return run_kind(options, *kMake(*rows));
  };
}

CommandRun set_up_kind(CLI::App &app, std::shared_ptr<RunReport> report) {
  const KindOptions options = declare_kind(app, *report);
  return [options, report](const std::vector<std::string> &) {
    return run_kind(options, *report);
  };
}

CommandRun set_up_sites(CLI::App &app) {
  const KindOptions options = declare_kind(app, SitesReport(nullptr, {}));
  const auto source = std::make_shared<SourceRequest>();
  app.add_option("--annotate", source->file,
                 "Show this source file, with counts at its lines. The path is "
                 "as the compiler had it, or its last parts.")
      ->type_name("SOURCE")
      ->excludes(app.get_option("--csv"))
      ->excludes(app.get_option("--sort"));
  declare_source_path(app, source);
  return [options, source](const std::vector<std::string> &) {
    SitesReport report(read_code_places(), *source);
    return run_kind(options, report);
  };
}

const Command kSites = {
    "report sites",
    "The lines of source that touched pages, in programs built with a site "
    "layout",
    kKindUsage,
    "pagetide report sites --annotate sort.c run.ptrace",
    "Exit status 0: done; 2: a file could not be read or reported, is damaged, "
    "or has no sites.",
    set_up_sites,
};

const Command kWss = {
    "report wss",
    "Working set over time and its distribution; new pages, pages that leave",
    kKindUsage,
    "pagetide report wss --from 1s run.ptrace",
    kKindStatuses,
    set_up_with_rows<make_wss>,
};

const Command kHot = {
    "report hot",
    "Pages by the number of periods in which they were accessed, and by age",
    kKindUsage,
    "pagetide report hot --mapping '[heap]' run.ptrace",
    kKindStatuses,
    [](CLI::App &app) { return set_up_kind(app, make_hot_report()); },
};

const Command kMappings = {
    "report mappings",
    "Pages that were read and written in each mapping, and in how many periods",
    kKindUsage,
    "pagetide report mappings --top 20 run.ptrace",
    kKindStatuses,
    [](CLI::App &app) { return set_up_kind(app, make_mappings_report()); },
};

const Command kChecksums = {
    "report checksums",
    "Pages whose content writes changed, and writes that changed nothing",
    kKindUsage,
    "pagetide report checksums run.ptrace",
    "Exit status 0: done; 2: a file could not be read or reported, is damaged, "
    "or was not recorded with --checksum.",
    set_up_with_rows<make_checksums>,
};

const Command kThreads = {
    "report threads",
    "Private and shared pages of threads, and who shares with whom",
    kKindUsage,
    "pagetide report threads run.ptrace",
    "Exit status 0: done; 2: a file could not be read or reported, is damaged, "
    "or was not recorded with --per-thread.",
    [](CLI::App &app) { return set_up_kind(app, make_threads_report()); },
};

const Command kProcesses = {
    "report processes",
    "The processes of a run: commands, periods, peaks, pages; and all together",
    kKindUsage,
    "pagetide report processes --sort peak --top 50 run.ptrace",
    kKindStatuses,
    [](CLI::App &app) { return set_up_kind(app, make_processes_report()); },
};

const Command *const kKinds[] = {&kReportHeatmapCommand,
                                 &kWss,
                                 &kHot,
                                 &kMappings,
                                 &kSites,
                                 &kChecksums,
                                 &kThreads,
                                 &kProcesses};

/// The page that `pagetide report` shows of several traces: `pagetide report
/// processes` of all of them. Returns the exit status.
int report_processes(const ReportOptions &options,
                     const std::vector<std::string> &traces) {
  return run_kind(options, Selection(), traces, *make_processes_report(), false,
                  "\nOne process: pagetide report --only FILE. All: --each.\n");
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
      out_.write(fmt::format("\n],\n\"totals\":{}}}\n", dumped(totals)));
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

std::span<const Command *const> report_kinds() { return kKinds; }

extern const Command kReportCommand = {
    "report",
    "Summarise traces for a person, or with --json for a program",
    "[KIND] [OPTIONS] [FILE...]",
    "pagetide report run.ptrace",
    "Exit status 0: done; 2: a file could not be read, or is damaged.",
    set_up_report,
    "A kind's name wins over a file's. For a FILE of that name write ./NAME, "
    "as "
    "in:",
    "pagetide report ./wss",
    report_kinds,
};

} // namespace pagetide::tools

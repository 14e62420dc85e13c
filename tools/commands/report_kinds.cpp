//===- report_kinds.cpp - pagetide report KIND ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/report_kinds.h"

#include "commands/command.h"
#include "record/trace_files.h"
#include "report/hot_report.h"
#include "report/mappings_report.h"
#include "report/processes_report.h"
#include "report/selection.h"
#include "report/threads_report.h"
#include "report/wss_report.h"
#include "support/failure.h"
#include "support/say.h"
#include "support/text_format.h"
#include "support/text_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace pagetide::tools {

namespace {

/// What every kind is told.
struct KindOptions {
  std::shared_ptr<ReportOptions> report = std::make_shared<ReportOptions>();
  std::shared_ptr<Selection> selection = std::make_shared<Selection>();
};

KindOptions declare_kind(CLI::App &app) {
  KindOptions options;
  declare_report_options(app, options.report);
  declare_selection(app, options.selection);
  return options;
}

/// When the first of the processes began to record.
std::uint64_t start_of_run(const std::vector<std::string> &traces) {
  std::uint64_t start_ns = UINT64_MAX;
  for (const std::string &trace : traces)
    if (const auto start = start_of_trace(trace))
      start_ns = std::min(start_ns, start->monotonic_ns);
  return start_ns;
}

/// Adds what is selected of the traces to the report, and prints it.
/// `hint` is what follows the report for people.
int run_kind(const ReportOptions &options, const Selection &selection,
             const std::vector<std::string> &traces, RunReport &report,
             const char *hint = "") {
  const std::uint64_t run_start = start_of_run(traces);
  int status = kStatusDone;
  for (const std::string &file : traces) {
    try {
      SelectedTrace trace(TraceReader::open(file), selection, run_start);
      report.add(trace);
      if (trace.completeness().integrity() == Integrity::kDamaged) {
        say("{}: {}", printable(file), trace.completeness().sentence());
        status = kStatusFailed;
      }
    } catch (const Failure &failure) {
      // Report the other traces all the same.
      say("{}", failure.what());
      status = kStatusFailed;
    }
  }
  if (report.traces().empty())
    return kStatusFailed;
  ReportStyle style = style_of_terminal();
  style.top = options.top;
  TextOutput out;
  out.write(options.json ? report.json(selection.words())
                         : report.text(selection.words(), style) + hint);
  out.close();
  return status;
}

int run_kind(const KindOptions &options, RunReport &report) {
  const std::vector<std::string> traces = traces_of(*options.report);
  const Selection &selection = *options.selection;
  if (selection.from_ns >= selection.to_ns)
    throw Failure(fmt::format("--from: {} is not before --to: {}; nothing is "
                              "selected",
                              format_duration(selection.from_ns),
                              format_duration(selection.to_ns)));
  return run_kind(*options.report, selection, traces, report);
}

constexpr const char kUsage[] = "[OPTIONS] [FILE...]";
constexpr const char kStatuses[] =
    "Exit status 0: done; 2: a file could not be read or reported, or is "
    "damaged.";

CommandRun set_up_wss(CLI::App &app) {
  const KindOptions options = declare_kind(app);
  const auto rows = std::make_shared<std::size_t>(WssReport::kRows);
  add_number(app, "--rows", "N",
             "At most N stretches of time, and at least 2. [20]",
             [rows](std::uint64_t number) { *rows = number; });
  return [options, rows](const std::vector<std::string> &) {
    WssReport report(*rows);
    return run_kind(options, report);
  };
}

/// Of a kind that has no options of its own.
template <typename Kind> CommandRun set_up_kind(CLI::App &app) {
  const KindOptions options = declare_kind(app);
  return [options](const std::vector<std::string> &) {
    Kind report;
    return run_kind(options, report);
  };
}

const Command kWss = {
    "report wss",
    "Working set over time and its distribution; new pages, pages that leave",
    kUsage,
    "pagetide report wss --from 1s run.ptrace",
    kStatuses,
    set_up_wss,
    kStatusFailed,
    false,
};

const Command kHot = {
    "report hot",
    "Pages by the number of periods in which they were accessed, and by age",
    kUsage,
    "pagetide report hot --mapping '[heap]' run.ptrace",
    kStatuses,
    set_up_kind<HotReport>,
    kStatusFailed,
    false,
};

const Command kMappings = {
    "report mappings",
    "Pages that were read and written in each mapping, and in how many periods",
    kUsage,
    "pagetide report mappings --top 20 run.ptrace",
    kStatuses,
    set_up_kind<MappingsReport>,
    kStatusFailed,
    false,
};

const Command kThreads = {
    "report threads",
    "Private and shared pages of threads, and who shares with whom",
    kUsage,
    "pagetide report threads run.ptrace",
    "Exit status 0: done; 2: a file could not be read or reported, is damaged, "
    "or was not recorded with --per-thread.",
    set_up_kind<ThreadsReport>,
    kStatusFailed,
    false,
};

const Command kProcesses = {
    "report processes",
    "The processes of a run: commands, periods, peaks, pages; and all together",
    kUsage,
    "pagetide report processes --top 50 run.ptrace",
    kStatuses,
    set_up_kind<ProcessesReport>,
    kStatusFailed,
    false,
};

const Command *const kKinds[] = {&kWss, &kHot, &kMappings, &kThreads,
                                 &kProcesses};

} // namespace

std::span<const Command *const> report_kinds() { return kKinds; }

int report_processes(const ReportOptions &options,
                     const std::vector<std::string> &traces) {
  ProcessesReport report;
  return run_kind(options, Selection(), traces, report,
                  "\nOne process: pagetide report --only FILE. All in full: "
                  "--each.\n");
}

} // namespace pagetide::tools

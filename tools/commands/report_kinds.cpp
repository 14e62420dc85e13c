//===- report_kinds.cpp - pagetide report KIND ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/report_kinds.h"

#include "commands/command.h"
#include "commands/report_run.h"
#include "report/checksums_report.h"
#include "report/hot_report.h"
#include "report/mappings_report.h"
#include "report/processes_report.h"
#include "report/threads_report.h"
#include "report/wss_report.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace pagetide::tools {

namespace {

void add_rows(CLI::App &app, const std::shared_ptr<std::size_t> &rows) {
  add_number(app, "--rows", "N",
             "At most N stretches of time, and at least 2. [20]",
             [rows](std::uint64_t number) { *rows = number; });
}

CommandRun set_up_wss(CLI::App &app) {
  const KindOptions options = declare_kind(app, WssReport());
  const auto rows = std::make_shared<std::size_t>(WssReport::kRows);
  add_rows(app, rows);
  return [options, rows](const std::vector<std::string> &) {
    WssReport report(*rows);
    return run_kind(options, report);
  };
}

CommandRun set_up_checksums(CLI::App &app) {
  const KindOptions options = declare_kind(app, ChecksumsReport());
  const auto rows = std::make_shared<std::size_t>(ChecksumsReport::kRows);
  add_rows(app, rows);
  return [options, rows](const std::vector<std::string> &) {
    ChecksumsReport report(*rows);
    return run_kind(options, report);
  };
}

/// Of a kind that has no options of its own.
template <typename Kind> CommandRun set_up_kind(CLI::App &app) {
  const KindOptions options = declare_kind(app, Kind());
  return [options](const std::vector<std::string> &) {
    Kind report;
    return run_kind(options, report);
  };
}

const Command kWss = {
    "report wss",
    "Working set over time and its distribution; new pages, pages that leave",
    kKindUsage,
    "pagetide report wss --from 1s run.ptrace",
    kKindStatuses,
    set_up_wss,
    kStatusFailed,
    false,
};

const Command kHot = {
    "report hot",
    "Pages by the number of periods in which they were accessed, and by age",
    kKindUsage,
    "pagetide report hot --mapping '[heap]' run.ptrace",
    kKindStatuses,
    set_up_kind<HotReport>,
    kStatusFailed,
    false,
};

const Command kMappings = {
    "report mappings",
    "Pages that were read and written in each mapping, and in how many periods",
    kKindUsage,
    "pagetide report mappings --top 20 run.ptrace",
    kKindStatuses,
    set_up_kind<MappingsReport>,
    kStatusFailed,
    false,
};

const Command kChecksums = {
    "report checksums",
    "Pages whose content writes changed, and writes that changed nothing",
    kKindUsage,
    "pagetide report checksums run.ptrace",
    "Exit status 0: done; 2: a file could not be read or reported, is damaged, "
    "or was not recorded with --checksum.",
    set_up_checksums,
    kStatusFailed,
    false,
};

const Command kThreads = {
    "report threads",
    "Private and shared pages of threads, and who shares with whom",
    kKindUsage,
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
    kKindUsage,
    "pagetide report processes --sort peak --top 50 run.ptrace",
    kKindStatuses,
    set_up_kind<ProcessesReport>,
    kStatusFailed,
    false,
};

const Command *const kKinds[] = {
    &kReportHeatmapCommand, &kWss,       &kHot,     &kMappings,
    &kReportSitesCommand,   &kChecksums, &kThreads, &kProcesses};

} // namespace

std::span<const Command *const> report_kinds() { return kKinds; }

int report_processes(const ReportOptions &options,
                     const std::vector<std::string> &traces) {
  ProcessesReport report;
  return run_kind(options, Selection(), traces, report, false,
                  "\nOne process: pagetide report --only FILE. All: --each.\n");
}

} // namespace pagetide::tools

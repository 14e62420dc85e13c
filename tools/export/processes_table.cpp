//===- processes_table.cpp - A row for each process -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include "analysis/granule_set.h"
#include "analysis/report_limits.h"
#include "support/text_format.h"

#include <algorithm>
#include <array>

namespace pagetide::tools {

namespace {

constexpr std::array<Column, 34> kProcessesColumns = {{
    {"trace", "number of the trace in this export, from 1"},
    {"pid", "of the process"},
    {"parent_pid", "of the process that started it"},
    {"file", "name of the trace", true, true},
    {"executable", "path of the program; empty if it is lost", true, true},
    {"command", "as one would write it in a shell; empty if it is lost", true,
     true},
    {"engine", "marks, uffd, fork, soft-dirty or emulate; empty if it is lost",
     true, true},
    {"run_id", "of the run of pagetide record; empty without one", true, true},
    {"layout", "rw, access or write", true, true},
    {"precision", "exact or near", true, true},
    {"granule_bytes", "of each row of pages"},
    {"page_bytes", "of the machine"},
    {"per_thread", "1: one set per thread"},
    {"checksum_mode", "what was hashed", true, true},
    {"unstable_policy", "what was done with unstable granules", true, true},
    {"realtime_ns", "when recording began, CLOCK_REALTIME"},
    {"monotonic_ns", "when recording began, CLOCK_MONOTONIC"},
    {"time_ns", "when recording began, from the run's start on"},
    {"duration_ns", "until the last period's end, or the recording's"},
    {"period_ns", "that was asked for; 0 if the program ends its periods"},
    {"periods", "whole ones that are in the trace and selected"},
    {"overruns", "scheduled ends that passed unserved"},
    {"accessed", "granules, summed over periods"},
    {"read", "the same; empty if the layout cannot know"},
    {"written", "the same; empty if the layout cannot know"},
    {"carried", "granules that are only carried over, summed over periods"},
    {"may", "granules that are only possible, summed over periods"},
    {"peak", "accessed granules of the largest period"},
    {"distinct_accessed", "granules in the union of all periods"},
    {"distinct_written", "the same; empty if the layout cannot know"},
    {"distinct_is_lower_bound", "1: memory did not suffice for these two"},
    {"missing", "periods that are known to be missing"},
    {"complete", "1: the whole run is in the trace"},
    {"problem", "what is missing, and why", true, true},
}};

class ProcessesSource : public TableSource {
public:
  using TableSource::TableSource;

  void begin() override {
    figures_ = Figures();
    figures_.end_ns = trace_->header().monotonic_ns;
    budget_ = MemoryBudget(kSetBytes);
    accessed_.emplace(budget_);
    written_.emplace(budget_);
  }

  void see(const Frame &frame) override {
    if (frame.type == trace::FrameType::kRunId)
      figures_.run_id = run_id_text(frame.run_id);
    if (frame.type == trace::FrameType::kEnd)
      figures_.end_ns = std::max(figures_.end_ns, frame.end.time_ns);
  }

  void add(const PeriodPart &part) override {
    if (part.first)
      figures_.of_period = 0;
    AccessCounts counts;
    for (const GranuleRun &run : union_of_sections(part, scratch_)) {
      counts.add(run);
      const AccessKinds kinds(run.flags);
      if (kinds.accessed)
        accessed_->insert(run.first, run.end());
      if (kinds.written)
        written_->insert(run.first, run.end());
    }
    figures_.counts.add(counts);
    figures_.of_period += counts.accessed;
    if (!part.last)
      return;
    ++figures_.periods;
    figures_.peak = std::max(figures_.peak, figures_.of_period);
    figures_.overruns += part.overruns;
    figures_.end_ns = std::max(figures_.end_ns, part.end_ns);
  }

  void end_trace() override {
    const SelectedTrace &trace = *trace_;
    const trace::FileHeader &header = trace.header();
    const abi::Layout layout = trace.geometry().layout;
    const Completeness &completeness = trace.completeness();
    const std::optional<Process> &process = trace.process();
    const std::string file = valid_text(trace.path());
    const std::string executable =
        process ? valid_text(process->executable) : std::string();
    const std::string command =
        process ? valid_text(format_command_briefly(process->arguments))
                : std::string();
    const std::string engine =
        process ? valid_text(process->engine) : std::string();
    const std::string problem = valid_text(completeness.sentence());
    const auto text = [](const std::string &of) {
      return of.empty() ? Cell() : Cell::of(of);
    };
    const auto number = [](std::uint64_t of) { return Cell::of(of); };
    const AccessCounts &counts = figures_.counts;
    const std::array<Cell, kProcessesColumns.size()> cells = {
        number(number_),
        number(header.pid),
        number(header.parent_pid),
        text(file),
        text(executable),
        text(command),
        text(engine),
        text(figures_.run_id),
        Cell::of(std::string_view(abi::kLayoutNames[header.layout])),
        Cell::of(std::string_view(precision_name(header))),
        number(std::uint64_t{1} << header.granule_shift),
        number(header.page_bytes),
        flag_cell(header.flags & trace::kHeaderPerThread),
        Cell::of(std::string_view(checksum_mode_name(header.checksum_mode))),
        Cell::of(
            std::string_view(unstable_policy_name(header.unstable_policy))),
        number(header.realtime_ns),
        number(header.monotonic_ns),
        number(trace.since_start(header.monotonic_ns)),
        number(figures_.end_ns - header.monotonic_ns),
        number(header.period_ns),
        number(figures_.periods),
        number(figures_.overruns),
        number(counts.accessed),
        read_cell(counts, layout),
        written_cell(counts, layout),
        number(counts.carried),
        number(counts.may),
        number(figures_.peak),
        number(accessed_->count()),
        abi::tells_writes(layout) ? number(written_->count()) : Cell(),
        flag_cell(accessed_->is_lower_bound() || written_->is_lower_bound()),
        number(completeness.missing_count()),
        flag_cell(completeness.is_complete()),
        text(problem),
    };
    sink_.row(cells.data());
  }

private:
  struct Figures {
    std::string run_id;
    std::uint64_t end_ns = 0;
    std::uint64_t periods = 0;
    std::uint64_t overruns = 0;
    std::uint64_t of_period = 0;
    std::uint64_t peak = 0;
    AccessCounts counts;
  };

  Figures figures_;
  MemoryBudget budget_{kSetBytes};
  std::optional<GranuleSet> accessed_;
  std::optional<GranuleSet> written_;
  std::vector<GranuleRun> scratch_;
};

} // namespace

extern const Table kProcessesTable = {
    "processes",
    "one row per process, with its program, settings and sums",
    kProcessesColumns,
    make_source<ProcessesSource>,
};

} // namespace pagetide::tools

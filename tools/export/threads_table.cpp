//===- threads_table.cpp - A row for each thread --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include "analysis/thread_table.h"

#include <array>

namespace pagetide::tools {

namespace {

constexpr std::array<Column, 13> kThreadsColumns = {{
    {"trace", "number of the trace in this export, from 1"},
    {"pid", "of the process"},
    {"tid", "of the thread; 0 for threads that have no set of their own"},
    {"name", "the last one that is known; empty if none is", true, true},
    {"start_ns", "CLOCK_MONOTONIC; empty if it is not known"},
    {"end_ns", "CLOCK_MONOTONIC; empty if it is not known"},
    {"periods", "in which it accessed anything; this column and those that "
                "follow are empty in a trace per process"},
    {"accessed", "granules, summed over periods"},
    {"read", "the same; empty if the layout cannot know"},
    {"written", "the same; empty if the layout cannot know"},
    {"carried", "granules that are only carried over, summed over periods"},
    {"may", "granules that are only possible, summed over periods"},
    {"threads_left_out", "1: there were more threads than the export has "
                         "memory for"},
}};

class ThreadsSource : public TableSource {
public:
  using TableSource::TableSource;

  void begin() override { threads_ = ThreadTable(); }

  void see(const Frame &frame) override {
    if (frame.type == trace::FrameType::kThreads)
      threads_.see(frame.threads);
  }

  void add(const PeriodPart &part) override {
    if (is_per_thread())
      threads_.add(part, trace_->thread_losses());
  }

  void end_trace() override {
    const abi::Layout layout = trace_->geometry().layout;
    for (const auto &[tid, thread] : threads_.all()) {
      const std::string name = valid_text(thread.name);
      std::array<Cell, kThreadsColumns.size()> cells = {
          Cell::of(number_),
          Cell::of(std::uint64_t{trace_->header().pid}),
          Cell::of(std::uint64_t{tid}),
          name.empty() ? Cell() : Cell::of(name),
          Cell::of(thread.start_ns),
          Cell::of(thread.end_ns),
          Cell::of(thread.periods),
          Cell::of(thread.counts.accessed),
          read_cell(thread.counts, layout),
          written_cell(thread.counts, layout),
          Cell::of(thread.counts.carried),
          Cell::of(thread.counts.may),
          flag_cell(threads_.left_out()),
      };
      if (!is_per_thread())
        for (std::size_t i = 6; i < 12; ++i)
          cells[i] = Cell();
      sink_.row(cells.data());
    }
  }

private:
  bool is_per_thread() const {
    return trace_->header().flags & trace::kHeaderPerThread;
  }

  ThreadTable threads_;
};

} // namespace

extern const Table kThreadsTable = {
    "threads",
    "one row per thread, with counts of granules",
    kThreadsColumns,
    make_source<ThreadsSource>,
};

} // namespace pagetide::tools

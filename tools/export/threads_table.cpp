//===- threads_table.cpp - A row for each thread --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/table.h"

#include "analysis/report_limits.h"
#include "support/text_format.h"

#include <array>
#include <map>

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

  void begin() override {
    threads_.clear();
    losses_ = 0;
    left_out_ = false;
  }

  void see(const Frame &frame) override {
    if (frame.type != trace::FrameType::kThreads)
      return;
    for (const ThreadRecord &record : frame.threads.records)
      if (Thread *thread = find(record.tid)) {
        if (!record.name.empty())
          thread->name = first_bytes(record.name, kMaxThreadName);
        if (record.event == trace::ThreadEvent::kExactSince)
          continue;
        if (record.event == trace::ThreadEvent::kStart)
          thread->start_ns = record.time_ns;
        else
          thread->end_ns = record.time_ns;
        thread->losses = losses_;
      }
  }

  void add(const PeriodPart &part) override {
    if (!is_per_thread())
      return;
    losses_ = trace_->thread_losses();
    for (const PeriodPart::Section &section : part.sections) {
      Thread *thread = find(section.tid);
      if (!thread)
        continue;
      if (thread->losses != losses_) {
        // Its number may be another thread's by now.
        thread->losses = losses_;
        thread->name.clear();
        thread->start_ns.reset();
        thread->end_ns.reset();
      }
      AccessCounts counts;
      counts.add(part.runs_of(section));
      thread->counts.add(counts);
      if (counts.accessed != 0 && thread->active != part.index + 1) {
        thread->active = part.index + 1;
        ++thread->periods;
      }
    }
  }

  void end_trace() override {
    const abi::Layout layout = trace_->geometry().layout;
    for (const auto &[tid, thread] : threads_) {
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
          flag_cell(left_out_),
      };
      if (!is_per_thread())
        for (std::size_t i = 6; i < 12; ++i)
          cells[i] = Cell();
      sink_.row(cells.data());
    }
  }

private:
  struct Thread {
    std::string name;
    std::optional<std::uint64_t> start_ns;
    std::optional<std::uint64_t> end_ns;
    std::uint64_t periods = 0;
    std::uint64_t active = 0; ///< the last period in which it was, plus one
    std::uint64_t losses = 0; ///< when it was last told of
    AccessCounts counts;
  };

  bool is_per_thread() const {
    return trace_->header().flags & trace::kHeaderPerThread;
  }

  /// Null if there are too many.
  Thread *find(std::uint32_t tid) {
    const auto found = threads_.find(tid);
    if (found != threads_.end())
      return &found->second;
    left_out_ = left_out_ || threads_.size() >= kMaxThreads;
    if (left_out_)
      return nullptr;
    Thread &thread = threads_[tid];
    thread.losses = losses_;
    return &thread;
  }

  std::map<std::uint32_t, Thread> threads_;
  std::uint64_t losses_ = 0;
  bool left_out_ = false;
};

} // namespace

extern const Table kThreadsTable = {
    "threads",
    "one row per thread, with counts of granules",
    kThreadsColumns,
    make_source<ThreadsSource>,
};

} // namespace pagetide::tools

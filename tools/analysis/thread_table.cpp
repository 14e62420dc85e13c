//===- thread_table.cpp - What a trace tells of its threads ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/thread_table.h"

#include "analysis/report_limits.h"
#include "support/text_format.h"

namespace pagetide::tools {

/// Null if there are too many.
ThreadSummary *ThreadTable::find(std::uint32_t tid) {
  const auto found = threads_.find(tid);
  if (found != threads_.end())
    return &found->second;
  if (threads_.size() == kMaxThreads) {
    left_out_ = true;
    return nullptr;
  }
  return &threads_[tid];
}

void ThreadTable::see(const Threads &threads) {
  for (const ThreadRecord &record : threads.records) {
    if (record.event == trace::ThreadEvent::kExactSince)
      continue;
    ThreadSummary *thread = find(record.tid);
    if (!thread)
      continue;
    if (!record.name.empty())
      thread->name = first_bytes(record.name, kMaxThreadName);
    (record.event == trace::ThreadEvent::kStart ? thread->start_ns
                                                : thread->end_ns) =
        record.time_ns;
    thread->losses = losses_;
  }
}

void ThreadTable::add(const PeriodPart &part, std::uint64_t losses) {
  losses_ = losses;
  for (const PeriodPart::Section &section : part.sections) {
    ThreadSummary *thread = find(section.tid);
    if (!thread)
      continue;
    if (thread->losses != losses) {
      thread->losses = losses;
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

} // namespace pagetide::tools

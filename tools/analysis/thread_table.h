//===- thread_table.h - What a trace tells of its threads -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/access_counts.h"
#include "trace/trace_records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace pagetide::tools {

struct ThreadSummary {
  std::string name; ///< the last one that is known
  std::optional<std::uint64_t> start_ns;
  std::optional<std::uint64_t> end_ns;
  std::uint64_t periods = 0; ///< in which it accessed anything
  AccessCounts counts;       ///< summed over periods

  std::uint64_t active = 0; ///< the last period in which it was, plus one
  std::uint64_t losses = 0; ///< of frames of threads, when it was last told of
};

class ThreadTable {
public:
  void see(const Threads &threads);
  /// Counts what the threads accessed. `losses`: how often frames of threads
  /// were lost before the part. After a loss a number may be another thread's.
  void add(const PeriodPart &part, std::uint64_t losses);

  const std::map<std::uint32_t, ThreadSummary> &all() const { return threads_; }
  /// Whether there were more threads than there is memory for.
  bool left_out() const { return left_out_; }

private:
  ThreadSummary *find(std::uint32_t tid);

  std::map<std::uint32_t, ThreadSummary> threads_;
  std::uint64_t losses_ = 0;
  bool left_out_ = false;
};

} // namespace pagetide::tools

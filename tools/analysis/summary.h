//===- summary.h - What a report says of one trace ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/access_counts.h"
#include "analysis/distribution.h"
#include "analysis/thread_table.h"
#include "analysis/time_curve.h"
#include "trace/trace_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// How many granules a period had of one kind.
struct Figures {
  std::uint64_t median = 0;
  std::uint64_t p95 = 0;
  std::uint64_t maximum = 0;
  std::uint64_t sum = 0;      ///< over all periods
  std::uint64_t distinct = 0; ///< in the union of all periods
  bool distinct_is_lower_bound = false;
};

struct MappingSummary {
  std::string name;
  AccessCounts counts; ///< summed over periods
  std::uint64_t distinct = 0;
  bool distinct_is_lower_bound = false;
};

struct ChecksumSummary {
  std::uint64_t stable = 0; ///< granules, summed over periods
  std::uint64_t unstable = 0;
  std::uint64_t gone = 0;
  std::uint64_t unreadable = 0;
};

/// Periods that were to end in a cut.
struct CutSummary {
  std::uint64_t cuts = 0;
  std::uint64_t without = 0; ///< periods without one
  Distribution pause_ns;     ///< of cuts, as are those below
  Distribution marked;       ///< granules
  Distribution unsettled;
  /// Why there was none, and how often. The most frequent first.
  std::vector<std::pair<std::string, std::uint64_t>> reasons;
  bool reasons_left_out = false;
};

struct Summary {
  std::string path;
  std::uint64_t file_bytes = 0;
  trace::FileHeader header = {};
  std::optional<RunId> run_id;
  std::optional<Process> process;
  std::optional<End> end; ///< if the last frame is one
  Completeness completeness;

  std::uint64_t periods = 0;
  std::uint64_t driven_periods = 0;
  std::uint64_t off_periods = 0; ///< between windows, with marks off
  std::uint64_t off_ns = 0;      ///< the time that they took
  /// How often a thread was exact in a window, from some moment on.
  std::uint64_t exact_in_windows = 0;
  std::uint64_t final_periods = 0;
  std::uint64_t harvested_periods = 0;
  std::uint64_t partial_periods = 0;
  std::uint64_t overruns = 0;
  std::uint64_t duration_ns = 0; ///< of the recording

  Figures accessed; ///< certain accesses of this period
  Figures read;
  Figures written;
  Figures carried;  ///< only carried over
  Figures unmarked; ///< the kernel saw a write, and no mark says so
  Figures may;      ///< only possible
  Figures may_read; ///< whose read is only possible, whatever else is certain
  Figures may_written; ///< whose write is only possible
  TimeCurve curve;     ///< granules accessed in each period

  std::vector<MappingSummary> mappings; ///< the busiest first
  ThreadTable threads;
  ChecksumSummary checksums;
  CutSummary cuts;
  std::vector<Note> notes; ///< the first ones
  std::uint64_t note_count = 0;

  /// Granules summed over periods, without those that were only carried.
  std::uint64_t entries() const { return accessed.sum + may.sum; }
  Geometry geometry() const { return geometry_of(header); }
  std::uint64_t granule_bytes() const {
    return std::uint64_t{1} << header.granule_shift;
  }
  bool per_thread() const { return header.flags & trace::kHeaderPerThread; }
};

/// Reads a whole trace. Throws Failure if the file is no trace.
Summary summarize(const std::string &path);
Summary summarize(TraceReader reader);

} // namespace pagetide::tools

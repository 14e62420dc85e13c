//===- access_counts.h - What the flags of runs mean ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/granule_set.h"
#include "trace/runs.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace pagetide::tools {

/// What was done to the granules of a run. Of the first, fourth and fifth, one
/// holds: every report, export and page counts by these words.
struct AccessKinds {
  constexpr explicit AccessKinds(unsigned flags)
      : accessed(certain_flags(flags) != 0), read(flags & trace::kRunRead),
        written(flags & trace::kRunWritten),
        carried(!accessed && (flags & trace::kRunCarried)),
        may(!accessed && !carried) {}

  bool accessed; ///< certain, of this period
  bool read;
  bool written;
  bool carried; ///< not accessed, and perhaps written before the boundary
  bool may;     ///< nothing but possible
};

/// How many granules were accessed, by kind.
struct AccessCounts {
  std::uint64_t accessed = 0;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t carried = 0;
  std::uint64_t may = 0;

  bool operator==(const AccessCounts &) const = default;

  void add(const GranuleRun &run) {
    const AccessKinds kinds(run.flags);
    accessed += kinds.accessed ? run.count : 0;
    read += kinds.read ? run.count : 0;
    written += kinds.written ? run.count : 0;
    carried += kinds.carried ? run.count : 0;
    may += kinds.may ? run.count : 0;
  }
  void add(std::span<const GranuleRun> runs) {
    for (const GranuleRun &run : runs)
      add(run);
  }
  void add(const AccessCounts &other) {
    accessed += other.accessed;
    read += other.read;
    written += other.written;
    carried += other.carried;
    may += other.may;
  }
  /// Keeps the larger count of each kind.
  void take_largest(const AccessCounts &other) {
    accessed = std::max(accessed, other.accessed);
    read = std::max(read, other.read);
    written = std::max(written, other.written);
    carried = std::max(carried, other.carried);
    may = std::max(may, other.may);
  }
};

/// Distinct granules by what was done to them.
struct AccessSets {
  explicit AccessSets(MemoryBudget &budget)
      : accessed(budget), read(budget), written(budget) {}

  void add(const GranuleRun &run) {
    const AccessKinds kinds(run.flags);
    if (kinds.accessed)
      accessed.insert(run.first, run.end());
    if (kinds.read)
      read.insert(run.first, run.end());
    if (kinds.written)
      written.insert(run.first, run.end());
  }
  bool is_lower_bound() const {
    return accessed.is_lower_bound() || read.is_lower_bound() ||
           written.is_lower_bound();
  }

  GranuleSet accessed;
  GranuleSet read;
  GranuleSet written;
};

} // namespace pagetide::tools

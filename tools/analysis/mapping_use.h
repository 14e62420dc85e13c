//===- mapping_use.h - Which mappings the touched granules lie in ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "analysis/access_counts.h"
#include "analysis/granule_set.h"
#include "analysis/mapping_names.h"
#include "trace/trace_records.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Sums up, by the name of the mapping, the granules that periods touched.
class MappingUses {
public:
  struct Use {
    Use(std::string name, MemoryBudget &budget)
        : name(std::move(name)), distinct(budget) {}

    std::string name;
    AccessCounts counts; ///< summed over periods
    GranuleSet distinct; ///< certain ones
  };

  MappingUses(unsigned granule_shift, MemoryBudget &budget)
      : budget_(budget),
        names_(granule_shift,
               [this](std::size_t name, const GranuleRun &piece,
                      const PeriodTime &) { count(name, piece); }) {}

  void set_mappings(const Mappings &mappings) { names_.set_mappings(mappings); }
  void forget_mappings() { names_.forget_mappings(); }
  /// Runs of one period, sorted and without overlap. Runs that were only
  /// carried do not count.
  void add(std::span<const GranuleRun> runs);
  void end_period() { names_.end_period(); }
  /// Call once at the end. Granules that are in no list count as unknown.
  void finish() { names_.finish(); }

  /// The mappings that were touched, the busiest first.
  std::vector<const Use *> busiest() const;

private:
  void count(std::size_t name, const GranuleRun &piece);

  MemoryBudget &budget_;
  MappingNames names_;
  std::vector<Use> uses_; ///< by the numbers of their names
  std::vector<GranuleRun> known_;
};

} // namespace pagetide::tools

//===- mapping_use.h - Which mappings the touched granules lie in ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_MAPPING_USE_H
#define PAGETIDE_TOOLS_REPORT_MAPPING_USE_H

#include "report/granule_set.h"
#include "trace/trace_records.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pagetide::tools {

/// Sums up, by the name of the mapping, the granules that periods touched.
class MappingUses {
public:
  struct Use {
    Use(std::string name, MemoryBudget &budget)
        : name(std::move(name)), distinct(budget) {}

    std::string name;
    /// Granules summed over periods.
    std::uint64_t accessed = 0;
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::uint64_t may = 0; ///< nothing but possible
    GranuleSet distinct;   ///< certain ones
  };

  MappingUses(unsigned granule_shift, MemoryBudget &budget)
      : granule_shift_(granule_shift), budget_(budget) {}

  /// The mappings from now on.
  void set_mappings(const Mappings &mappings);
  /// Lists that should come here are lost. Nothing is known of the mappings
  /// until the next one.
  void forget_mappings();
  /// Runs of one period, sorted and without overlap. Runs that were only
  /// carried do not count.
  void add(std::span<const GranuleRun> runs);
  /// The last part of a period has been added.
  void end_period() {
    period_has_ended_ = true;
    closed_ranges_.clear();
    lost_earlier_ = false;
  }
  /// Call once at the end. Granules that are in no list count as unknown.
  void finish();

  /// The mappings that were touched, the busiest first.
  std::vector<const Use *> busiest() const;

private:
  struct Range {
    std::uint64_t first; ///< granules
    std::uint64_t end;
    std::size_t use;
  };

  std::size_t use_named(const std::string &name);
  void keep_for_this_period();
  void find_closed();
  void count(std::size_t use, std::uint64_t first, std::uint64_t end,
             unsigned flags);
  /// Counts what lies in the ranges and appends the rest to `rest`.
  void attribute(const std::vector<Range> &ranges,
                 std::span<const GranuleRun> runs,
                 std::vector<GranuleRun> &rest);

  unsigned granule_shift_;
  MemoryBudget &budget_;
  std::vector<Use> uses_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<Range> ranges_;
  /// What earlier lists have that were in force since the last period ended. A
  /// mapping may be gone when its period ends.
  std::vector<Range> earlier_ranges_;
  /// Of these, files' mappings where the list in force has anonymous memory.
  /// The runtime may have mapped memory of its own where a library was closed.
  std::vector<Range> closed_ranges_;
  bool period_has_ended_ = false;
  /// Granules that are in no list yet. They wait for the next one.
  std::vector<GranuleRun> unexplained_;
  bool lost_ = false; ///< the list in force
  /// Lists that were in force since the last period ended.
  bool lost_earlier_ = false;
  std::vector<GranuleRun> scratch_[2];
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_MAPPING_USE_H

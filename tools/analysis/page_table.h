//===- page_table.h - A record for each granule that was touched ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/granule_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

namespace pagetide::tools {

/// Records of granules, in memory that grows with their number. When the budget
/// is spent, granules that have no record yet are left out.
template <typename Record> class PageTable {
public:
  explicit PageTable(std::size_t bytes)
      : PageTable(std::make_shared<MemoryBudget>(bytes)) {}
  /// Several tables can share a budget.
  explicit PageTable(std::shared_ptr<MemoryBudget> budget)
      : budget_(std::move(budget)) {}

  /// Calls visit(record) for each granule of [first, end). A new record is
  /// Record().
  template <typename Visit>
  void visit(std::uint64_t first, std::uint64_t end, Visit visit) {
    while (first < end) {
      const std::uint64_t number = first / kBlockGranules;
      Block *block = find(number);
      if (!block) {
        left_out_ = true;
        // A run can be of 2^40 granules.
        first = std::min(end, first_granule_above(number));
        continue;
      }
      const std::uint64_t stop = std::min(end, (number + 1) * kBlockGranules);
      for (; first < stop; ++first)
        visit((*block)[first % kBlockGranules]);
    }
  }

  /// Calls visit(run) for each run, in order. The records at which runs to come
  /// begin are fetched from memory meanwhile.
  template <typename Run, typename Visit>
  void fetch_ahead(std::span<const Run> runs, Visit visit) const {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i + kRunsAhead < runs.size())
        fetch(runs[i + kRunsAhead].first);
      visit(runs[i]);
    }
  }

  /// Calls visit(granule, record) for each record, by rising granules. Records
  /// that are still Record() come too.
  template <typename Visit> void each(Visit visit) const {
    for (const auto &[number, region] : regions_)
      for (std::size_t at = 0; at < kRegionBlocks; ++at)
        if (const Block *block = (*region)[at].get())
          for (std::size_t i = 0; i < kBlockGranules; ++i)
            visit((number * kRegionBlocks + at) * kBlockGranules + i,
                  (*block)[i]);
  }

  /// Whether granules were left out.
  bool is_lower_bound() const { return left_out_; }

private:
  static constexpr std::uint64_t kBlockGranules = 64;
  using Block = std::array<Record, kBlockGranules>;
  /// Scattered accesses would wait for memory at each step of one large map.
  static constexpr std::uint64_t kRegionBlocks = 512;
  using Region = std::array<std::unique_ptr<Block>, kRegionBlocks>;
  /// What the map and the allocator need for each.
  static constexpr std::size_t kMoreBytes = 96;
  /// How far ahead it pays to fetch records.
  static constexpr std::size_t kRunsAhead = 8;

  /// Has the record of a granule fetched, if there is one.
  void fetch(std::uint64_t granule) const {
    const std::uint64_t number = granule / kBlockGranules;
    const Region *region = region_of(number);
    if (!region)
      return;
    if (const Block *block = (*region)[number % kRegionBlocks].get())
      __builtin_prefetch(&(*block)[granule % kBlockGranules], 1);
  }

  /// Null if there is none yet.
  Region *region_of(std::uint64_t number) const {
    const std::uint64_t wanted = number / kRegionBlocks;
    if (wanted != recent_region_number_ || !recent_region_) {
      const auto found = regions_.find(wanted);
      if (found == regions_.end())
        return nullptr;
      recent_region_number_ = wanted;
      recent_region_ = found->second.get();
    }
    return recent_region_;
  }

  /// Null if there is no memory for it.
  Block *find(std::uint64_t number) {
    if (number == recent_number_)
      return recent_;
    Region *region = region_of(number);
    if (!region) {
      if (!budget_->take(sizeof(Region) + kMoreBytes))
        return nullptr;
      region =
          (regions_[number / kRegionBlocks] = std::make_unique<Region>()).get();
    }
    std::unique_ptr<Block> &block = (*region)[number % kRegionBlocks];
    if (!block) {
      if (!budget_->take(sizeof(Block) + kMoreBytes))
        return nullptr;
      block = std::make_unique<Block>();
    }
    recent_number_ = number;
    recent_ = block.get();
    return recent_;
  }

  /// The first granule above the block that is in a block.
  std::uint64_t first_granule_above(std::uint64_t number) const {
    const std::uint64_t next = number + 1;
    for (auto at = regions_.lower_bound(next / kRegionBlocks);
         at != regions_.end(); ++at) {
      const std::uint64_t begin = at->first * kRegionBlocks;
      for (std::uint64_t i = next > begin ? next - begin : 0; i < kRegionBlocks;
           ++i)
        if ((*at->second)[i])
          return (begin + i) * kBlockGranules;
    }
    return UINT64_MAX;
  }

  std::shared_ptr<MemoryBudget> budget_;
  std::map<std::uint64_t, std::unique_ptr<Region>> regions_;
  bool left_out_ = false;
  // Most runs are near the last one.
  std::uint64_t recent_number_ = UINT64_MAX;
  Block *recent_ = nullptr;
  mutable std::uint64_t recent_region_number_ = 0;
  mutable Region *recent_region_ = nullptr; ///< null: there is none yet
};

} // namespace pagetide::tools

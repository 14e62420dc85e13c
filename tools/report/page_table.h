//===- page_table.h - A record for each granule that was touched ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_PAGE_TABLE_H
#define PAGETIDE_TOOLS_REPORT_PAGE_TABLE_H

#include "report/granule_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace pagetide::tools {

/// Records of granules, in memory that grows with their number. When the budget
/// is spent, granules that have no record yet are left out.
template <typename Record> class PageTable {
public:
  explicit PageTable(std::size_t bytes) : budget_(bytes) {}

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
        const auto next = blocks_.upper_bound(number);
        first = next == blocks_.end()
                    ? end
                    : std::min(end, next->first * kBlockGranules);
        continue;
      }
      const std::uint64_t stop = std::min(end, (number + 1) * kBlockGranules);
      for (; first < stop; ++first)
        visit((*block)[first % kBlockGranules]);
    }
  }

  /// Calls visit(granule, record) for each record, by rising granules. Records
  /// that are still Record() come too.
  template <typename Visit> void each(Visit visit) const {
    for (const auto &[number, block] : blocks_)
      for (std::size_t i = 0; i < kBlockGranules; ++i)
        visit(number * kBlockGranules + i, (*block)[i]);
  }

  /// Whether granules were left out.
  bool is_lower_bound() const { return left_out_; }

private:
  static constexpr std::uint64_t kBlockGranules = 64;
  using Block = std::array<Record, kBlockGranules>;
  /// Includes what the map and the allocator need for it.
  static constexpr std::size_t kBlockBytes = sizeof(Block) + 96;

  /// Null if there is no memory for it.
  Block *find(std::uint64_t number) {
    if (number == recent_number_)
      return recent_;
    auto found = blocks_.find(number);
    if (found == blocks_.end()) {
      if (!budget_.take(kBlockBytes))
        return nullptr;
      found = blocks_.emplace(number, std::make_unique<Block>()).first;
    }
    recent_number_ = number;
    recent_ = found->second.get();
    return recent_;
  }

  MemoryBudget budget_;
  std::map<std::uint64_t, std::unique_ptr<Block>> blocks_;
  bool left_out_ = false;
  std::uint64_t recent_number_ =
      UINT64_MAX; ///< most runs are near the last one
  Block *recent_ = nullptr;
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_PAGE_TABLE_H

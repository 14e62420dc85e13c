//===- missing_ranges.h - Bytes of a region that have not been found ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_CHECKPOINT_STORE_MISSING_RANGES_H
#define PAGETIDE_CHECKPOINT_STORE_MISSING_RANGES_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace pagetide::checkpoint {

/// The bytes of one region that no newer checkpoint of the chain holds.
class MissingRanges {
public:
  explicit MissingRanges(std::uint64_t bytes) : limit_(bytes) {
    if (bytes != 0)
      ends_[0] = bytes;
  }

  bool empty() const { return ends_.empty(); }
  std::uint64_t first() const { return ends_.begin()->first; }

  /// Older checkpoints say nothing of bytes from here on: the region was
  /// shorter then.
  void limit_to(std::uint64_t bytes) { limit_ = std::min(limit_, bytes); }

  /// Takes [begin, end) away. Calls found(begin, end) for each part of it that
  /// was missing, in order.
  template <typename Found>
  void take(std::uint64_t begin, std::uint64_t end, Found found) {
    end = std::min(end, limit_);
    if (begin >= end)
      return;
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second > begin)
      --at;
    while (at != ends_.end() && at->first < end) {
      const std::uint64_t from = at->first;
      const std::uint64_t to = at->second;
      const std::uint64_t first = std::max(from, begin);
      const std::uint64_t last = std::min(to, end);
      at = ends_.erase(at);
      if (from < first)
        ends_[from] = first;
      if (last < to)
        at = ends_.emplace(last, to).first;
      found(first, last);
    }
  }

private:
  std::map<std::uint64_t, std::uint64_t> ends_; ///< by their beginnings
  std::uint64_t limit_;
};

} // namespace pagetide::checkpoint

#endif // PAGETIDE_CHECKPOINT_STORE_MISSING_RANGES_H

//===- missing_ranges.h - Bytes of a region that have not been found ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pagetide::checkpoint {

/// The bytes of one region that no newer checkpoint of the chain holds. What a
/// checkpoint holds is taken away in one pass over them, which costs a step for
/// each range: a restore does nothing else meanwhile.
class MissingRanges {
public:
  explicit MissingRanges(std::uint64_t bytes) : limit_(bytes) {
    if (bytes != 0)
      ranges_.push_back({0, bytes});
  }

  /// Both are of no use within a pass.
  bool empty() const { return ranges_.empty(); }
  std::uint64_t first() const { return ranges_.front().begin; }

  /// Older checkpoints say nothing of bytes from here on: the region was
  /// shorter then.
  void limit_to(std::uint64_t bytes) { limit_ = std::min(limit_, bytes); }

  /// Takes [begin, end) away. Calls found(begin, end) for each part of it that
  /// was missing, in order. Within a pass, no call may begin before the last.
  template <typename Found>
  void take(std::uint64_t begin, std::uint64_t end, Found found) {
    end = std::min(end, limit_);
    if (begin >= end)
      return;
    for (; at_ < ranges_.size() && ranges_[at_].end <= begin; ++at_)
      left_.push_back(ranges_[at_]);
    for (; at_ < ranges_.size() && ranges_[at_].begin < end; ++at_) {
      Range &range = ranges_[at_];
      const std::uint64_t first = std::max(range.begin, begin);
      const std::uint64_t last = std::min(range.end, end);
      if (range.begin < first)
        left_.push_back({range.begin, first});
      found(first, last);
      if (last < range.end) {
        range.begin = last; // a later call may take of it
        return;
      }
    }
  }

  /// The next call of take() may begin anywhere.
  void end_pass() {
    left_.insert(left_.end(),
                 ranges_.begin() + static_cast<std::ptrdiff_t>(at_),
                 ranges_.end());
    ranges_.swap(left_);
    left_.clear();
    at_ = 0;
  }

private:
  struct Range {
    std::uint64_t begin, end;
  };
  std::vector<Range> ranges_; ///< in order; those before at_ are in left_
  std::vector<Range> left_;   ///< by this pass
  std::size_t at_ = 0;
  std::uint64_t limit_;
};

} // namespace pagetide::checkpoint

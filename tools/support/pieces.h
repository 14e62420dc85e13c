//===- pieces.h - A range, divided by the segments that it lies in ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <algorithm>
#include <cstdint>

namespace pagetide::tools {

/// Divides ranges by segments: objects with members `first` and `end`, sorted,
/// that do not overlap.
template <typename Segments> class Pieces {
public:
  explicit Pieces(const Segments &segments)
      : next_(segments.begin()), end_(segments.end()) {}

  /// Calls visit(first, end, segment) for each piece of [first, end). `segment`
  /// points to the one that the piece lies in, or is null. Each range must
  /// begin at the end of the one before, or behind it.
  template <typename Visit>
  void divide(std::uint64_t first, std::uint64_t end, Visit visit) {
    if (next_ != end_ && next_->end <= first)
      next_ = std::partition_point(
          next_, end_, [&](const auto &s) { return s.end <= first; });
    while (first < end) {
      while (next_ != end_ && next_->end <= first)
        ++next_;
      const bool inside = next_ != end_ && next_->first <= first;
      std::uint64_t to = end;
      if (next_ != end_)
        to = std::min<std::uint64_t>(to, inside ? next_->end : next_->first);
      visit(first, to, inside ? &*next_ : nullptr);
      first = to;
    }
  }

private:
  typename Segments::const_iterator next_;
  typename Segments::const_iterator end_;
};

} // namespace pagetide::tools

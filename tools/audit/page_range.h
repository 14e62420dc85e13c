//===- page_range.h - Ranges of pages, their union and pieces -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/pieces.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pagetide::tools {

/// Pages [first, end).
struct PageRange {
  std::uint64_t first;
  std::uint64_t end;
};

/// Appends to a sorted list. Joins ranges that touch or overlap.
inline void append(std::vector<PageRange> &ranges, PageRange range) {
  if (!ranges.empty() && range.first <= ranges.back().end)
    ranges.back().end = std::max(ranges.back().end, range.end);
  else
    ranges.push_back(range);
}

/// The union of lists.
inline std::vector<PageRange>
united(const std::vector<const std::vector<PageRange> *> &lists) {
  std::vector<PageRange> all;
  for (const std::vector<PageRange> *list : lists)
    all.insert(all.end(), list->begin(), list->end());
  std::sort(all.begin(), all.end(), [](const PageRange &a, const PageRange &b) {
    return a.first < b.first;
  });
  std::vector<PageRange> out;
  for (const PageRange &range : all)
    append(out, range);
  return out;
}

/// Calls inside(a, b) for the pieces of `range` that are in the sorted list,
/// and outside(a, b) for the others.
template <typename Inside, typename Outside>
void split(PageRange range, const std::vector<PageRange> &list, Inside inside,
           Outside outside) {
  Pieces(list).divide(
      range.first, range.end,
      [&](std::uint64_t first, std::uint64_t end, const PageRange *covered) {
        if (covered)
          inside(first, end);
        else
          outside(first, end);
      });
}

} // namespace pagetide::tools

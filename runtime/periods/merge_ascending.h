//===- merge_ascending.h - Sort lists that are mostly sorted --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/page_vec.h"

namespace pagetide {

/// Working memory of MergeAscending, kept between calls.
template <typename List, typename Starts = PageVec<uptr>> struct MergeSpace {
  List items;
  Starts starts, next_starts; ///< where ascending stretches begin
};

/// Sorts `items` by a stable merge sort that starts from the list's ascending
/// stretches, in time n log(number of stretches). before(a, b) is true if a
/// must be before b. append(list, first, item) appends the item, or joins it
/// with list.back() if list.size() > first. Each stretch of `items` must have
/// been made by `append`.
template <typename List, typename Starts, typename Before, typename Append>
void MergeAscending(List &items, MergeSpace<List, Starts> &space, Before before,
                    Append append) {
  Starts &starts = space.starts, &next_starts = space.next_starts;
  starts.clear();
  for (uptr i = 0; i < items.size(); ++i)
    if (!i || before(items[i], items[i - 1]))
      starts.push_back(i);
  while (starts.size() > 1) {
    space.items.clear();
    space.items.reserve(items.size());
    next_starts.clear();
    const auto start = [&](uptr s) {
      return s < starts.size() ? starts[s] : items.size();
    };
    for (uptr s = 0; s < starts.size(); s += 2) {
      const uptr first = space.items.size();
      next_starts.push_back(first);
      uptr a = start(s), b = start(s + 1);
      const uptr a_end = b, b_end = start(s + 2);
      while (a < a_end || b < b_end) {
        const bool take_a =
            b == b_end || (a < a_end && !before(items[b], items[a]));
        append(space.items, first, items[take_a ? a++ : b++]);
      }
    }
    items.swap(space.items);
    starts.swap(next_starts);
  }
}

} // namespace pagetide

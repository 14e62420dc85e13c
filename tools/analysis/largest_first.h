//===- largest_first.h - The entries of a map by what they count ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <algorithm>
#include <vector>

namespace pagetide::tools {

/// The entries with the largest key_of(value) first. Equal ones are in the
/// order of their names.
template <typename Map, typename KeyOf>
std::vector<const typename Map::value_type *> largest_first(const Map &map,
                                                            KeyOf key_of) {
  std::vector<const typename Map::value_type *> entries;
  for (const auto &entry : map)
    entries.push_back(&entry);
  std::ranges::sort(entries, [&](const auto *a, const auto *b) {
    const auto of_a = key_of(a->second);
    const auto of_b = key_of(b->second);
    return of_a != of_b ? of_b < of_a : a->first < b->first;
  });
  return entries;
}

} // namespace pagetide::tools

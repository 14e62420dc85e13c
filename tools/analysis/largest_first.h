//===- largest_first.h - What counts most, first --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
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

/// The numbers below `count` with the largest key_of(number) first. Equal ones
/// rise.
template <typename KeyOf>
std::vector<std::size_t> numbers_largest_first(std::size_t count,
                                               KeyOf key_of) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::ranges::greater(), [&](std::size_t number) {
    return std::pair(key_of(number), ~number);
  });
  return order;
}

} // namespace pagetide::tools

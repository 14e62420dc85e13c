//===- merge_test.cpp - Sorting lists that are mostly sorted --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/merge_ascending.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace pagetide;

namespace {

using Item = std::pair<unsigned, unsigned>; ///< a key and a value
using Items = std::vector<Item>;
using Space = MergeSpace<Items, std::vector<uptr>>;

bool has_smaller_key(const Item &a, const Item &b) { return a.first < b.first; }

void push(Items &list, uptr, const Item &item) { list.push_back(item); }

void push_or_join(Items &list, uptr first, const Item &item) {
  if (list.size() > first && list.back().first == item.first)
    list.back().second |= item.second;
  else
    list.push_back(item);
}

/// Ascending stretches of random lengths; keys come several times.
Items stretches(std::mt19937 &random) {
  Items items;
  const unsigned count = random() % 8;
  for (unsigned s = 0; s < count; ++s) {
    unsigned key = random() % 8;
    for (unsigned i = random() % 12; i; --i) {
      items.push_back({key, 1u << random() % 16});
      key += random() % 3;
    }
  }
  return items;
}

} // namespace

TEST(MergeAscending, sorts_and_keeps_the_order_of_equal_items) {
  std::mt19937 random(1);
  Space space;
  for (int round = 0; round < 2000; ++round) {
    Items items = stretches(random);
    // Keeps the order of equal keys.
    const std::multimap<unsigned, unsigned> expected(items.begin(),
                                                     items.end());
    MergeAscending(items, space, has_smaller_key, push);
    ASSERT_EQ(items, Items(expected.begin(), expected.end()));
  }
}

TEST(MergeAscending, joins_equal_items) {
  std::mt19937 random(2);
  Space space;
  for (int round = 0; round < 2000; ++round) {
    Items items;
    std::map<unsigned, unsigned> expected;
    for (const Item &item : stretches(random)) {
      push_or_join(items, 0, item);
      expected[item.first] |= item.second;
    }
    MergeAscending(items, space, has_smaller_key, push_or_join);
    ASSERT_EQ(items, Items(expected.begin(), expected.end()));
  }
}

//===- extents_test.cpp - Sets of shadow pages ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/extents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace pagetide {

static bool operator==(const ShadowExtent &a, const ShadowExtent &b) {
  return a.slot == b.slot && a.begin == b.begin && a.end == b.end;
}
static void PrintTo(const ShadowExtent &e, std::ostream *out) {
  *out << "slot " << e.slot << " " << e.begin << ".." << e.end;
}

namespace {

/// A list as the runtime's own vectors are: iterators are pointers.
class List {
public:
  List() = default;
  List(std::initializer_list<ShadowExtent> extents) : extents_(extents) {}
  const ShadowExtent *begin() const { return extents_.data(); }
  const ShadowExtent *end() const { return extents_.data() + extents_.size(); }
  bool empty() const { return extents_.empty(); }
  ShadowExtent &back() { return extents_.back(); }
  void clear() { extents_.clear(); }
  void push_back(const ShadowExtent &e) { extents_.push_back(e); }
  friend bool operator==(const List &a, const List &b) {
    return a.extents_ == b.extents_;
  }
  friend void PrintTo(const List &list, std::ostream *out) {
    for (const ShadowExtent &e : list) {
      PrintTo(e, out);
      *out << "; ";
    }
  }

private:
  std::vector<ShadowExtent> extents_;
};

List united(const List &a, const List &b) {
  List out = {{9, 9, 9}};
  Unite(a, b, out);
  return out;
}

List without(const List &a, const List &b) {
  List out = {{9, 9, 9}};
  Subtract(a, b, out);
  return out;
}

TEST(Extents, JoinWhereTheyTouchInOneSlot) {
  EXPECT_EQ(united({{1, 0, 4}, {1, 8, 12}}, {{1, 4, 8}, {2, 0, 4}}),
            (List{{1, 0, 12}, {2, 0, 4}}));
  EXPECT_EQ(united({{1, 0, 4}}, {{2, 4, 8}}), (List{{1, 0, 4}, {2, 4, 8}}));
  EXPECT_EQ(united({{1, 0, 16}}, {{1, 4, 8}}), (List{{1, 0, 16}}));
  EXPECT_EQ(united({}, {}), List{});
}

TEST(Extents, AreCutByThoseOfTheirSlotOnly) {
  EXPECT_EQ(without({{1, 0, 16}}, {{1, 4, 8}, {1, 12, 20}}),
            (List{{1, 0, 4}, {1, 8, 12}}));
  EXPECT_EQ(without({{1, 0, 4}, {1, 8, 12}}, {{1, 2, 10}}),
            (List{{1, 0, 2}, {1, 10, 12}}));
  EXPECT_EQ(without({{1, 0, 4}, {2, 0, 4}}, {{1, 0, 4}}), (List{{2, 0, 4}}));
  EXPECT_EQ(without({{2, 0, 4}}, {{1, 0, 4}, {3, 0, 4}}), (List{{2, 0, 4}}));
  EXPECT_EQ(without({{1, 0, 4}}, {}), (List{{1, 0, 4}}));
  EXPECT_EQ(without({}, {{1, 0, 4}}), List{});
}

TEST(Extents, AreSetsOfPages) {
  using Page = std::pair<u32, u64>;
  std::mt19937_64 random(7);
  const auto pages_of = [](const List &list) {
    std::set<Page> pages;
    for (const ShadowExtent &e : list)
      for (u64 page = e.begin; page < e.end; ++page)
        pages.insert({e.slot, page});
    return pages;
  };
  const auto some = [&] {
    List list;
    for (u32 slot = 0; slot < 3; ++slot)
      for (u64 at = random() % 4; at < 20; at += 1 + random() % 5) {
        const u64 begin = at;
        at += 1 + random() % 6;
        list.push_back({slot, begin, at});
      }
    return list;
  };
  for (int round = 0; round < 1000; ++round) {
    const List a = some(), b = some();
    const std::set<Page> in_a = pages_of(a), in_b = pages_of(b);
    std::set<Page> all, left;
    std::set_union(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                   std::inserter(all, all.end()));
    std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                        std::inserter(left, left.end()));
    const List sum = united(a, b), rest = without(a, b);
    EXPECT_EQ(pages_of(sum), all);
    EXPECT_EQ(BytesOf(sum), all.size()); // no page twice
    EXPECT_EQ(pages_of(rest), left);
    EXPECT_EQ(BytesOf(rest), left.size());
  }
}

} // namespace
} // namespace pagetide

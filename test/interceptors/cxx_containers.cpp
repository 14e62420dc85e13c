//===- cxx_containers.cpp - Nodes that libstdc++ links --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each node has a page to itself, so that what is done to it shows.
// RUN: %known_sets --ways O0,O2,O2/rw/6 %s

#include "known_sets.h"

#include <algorithm>
#include <list>
#include <set>
#include <vector>

static char *pages;
static size_t used;
enum { MOST = 6000 };

/// Hands out a page for each object, in the arena.
template <typename T> struct OnePageEach {
  using value_type = T;
  OnePageEach() = default;
  template <typename U> OnePageEach(const OnePageEach<U> &) {}
  T *allocate(size_t) {
    require(used < MOST);
    return reinterpret_cast<T *>(pages + PAGE * used++);
  }
  void deallocate(T *, size_t) {}
  bool operator==(const OnePageEach &) const { return true; }
  bool operator!=(const OnePageEach &) const { return false; }
};

static char *page(size_t i) { return pages + PAGE * i; }
static void begin_again() {
  used = 0;
  end_period();
}

using Set = std::set<int, std::less<int>, OnePageEach<int>>;
using List = std::list<int, OnePageEach<int>>;

static void tree() {
  begin_again();
  Set &set = *new Set; // never destroyed, which would read the nodes
  set.insert(1);
  expect_write(page(0), 40), end_period();
  set.insert(2); // below 1
  expect_both(page(0), 40), expect_both(page(1), 40), end_period();
  set.insert(3); // turns: 2 becomes the root
  expect_both(page(0), 40), expect_both(page(1), 40);
  expect_both(page(2), 40), end_period();
  int sum = 0;
  for (int value : set)
    sum += value;
  require(sum == 6);
  expect_read(page(0), 40), expect_read(page(1), 40);
  expect_read(page(2), 40), end_period();
  set.erase(2); // 3 takes its place, and they exchange colours
  expect_both(page(0), 40), expect_both(page(1), 40);
  expect_both(page(2), 40), end_period();
}

static void list() {
  begin_again();
  List &list = *new List;
  list.push_back(1);
  expect_write(page(0), 24), end_period();
  list.push_back(2);
  expect_write(page(0), 24), expect_write(page(1), 24), end_period();
  list.push_back(3);
  expect_write(page(1), 24), expect_write(page(2), 24), end_period();
  list.erase(std::next(list.begin()));
  expect_both(page(0), 24), expect_read(page(1), 24);
  expect_write(page(2), 24), end_period();
  list.reverse();
  expect_both(page(0), 24), expect_both(page(2), 24), end_period();
}

// A tree against a sorted vector, through many shapes.
static void many_shapes() {
  begin_again();
  require_status(pagetide_unwatch(pages, MOST * PAGE), PAGETIDE_OK);
  Set set;
  std::vector<int> model;
  uint64_t random = 1;
  for (int i = 0; i < 5000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    int value = static_cast<int>((random >> 40) % 400);
    auto at = std::lower_bound(model.begin(), model.end(), value);
    bool there = at != model.end() && *at == value;
    if (there) {
      model.erase(at);
      require(set.erase(value) == 1);
    } else {
      model.insert(at, value);
      require(set.insert(value).second);
    }
    if (i % 20 == 0) {
      require(std::equal(set.begin(), set.end(), model.begin(), model.end()));
      require(
          std::equal(set.rbegin(), set.rend(), model.rbegin(), model.rend()));
    }
  }
  // Lists of lists.
  std::list<int> one = {3, 1, 2}, two = {9, 7, 8}, none;
  one.swap(two), none.swap(one), none.swap(one);
  one.sort(), two.sort();
  one.merge(two);
  one.reverse();
  require((one == std::list<int>{9, 8, 7, 3, 2, 1}) && two.empty());
}

int main() {
  pages = arena(0, MOST * PAGE);
  tree();
  list();
  many_shapes();
  return 0;
}

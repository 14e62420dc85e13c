//===- access_counts_test.cpp - What the flags of runs mean ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/access_counts.h"

#include <gtest/gtest.h>

#include <vector>

namespace pagetide::tools {
namespace {

constexpr auto kR = trace::kRunRead;
constexpr auto kW = trace::kRunWritten;

AccessCounts counts_of(const std::vector<GranuleRun> &runs) {
  AccessCounts counts;
  counts.add(runs);
  return counts;
}

TEST(AccessCounts, EachGranuleIsAccessedCarriedOrPossible) {
  EXPECT_EQ(counts_of({{0, 1, kR}}), (AccessCounts{1, 1, 0, 0, 0}));
  EXPECT_EQ(counts_of({{0, 2, kW}}), (AccessCounts{2, 0, 2, 0, 0}));
  EXPECT_EQ(counts_of({{0, 3, kR | kW}}), (AccessCounts{3, 3, 3, 0, 0}));
  EXPECT_EQ(counts_of({{0, 4, trace::kRunAccessed}}),
            (AccessCounts{4, 0, 0, 0, 0}));
  EXPECT_EQ(counts_of({{0, 5, trace::kRunCarried}}),
            (AccessCounts{0, 0, 0, 5, 0}));
  EXPECT_EQ(counts_of({{0, 6, trace::kRunMayRead}}),
            (AccessCounts{0, 0, 0, 0, 6}));
  // What is certain says more than the rest, and carried more than possible.
  EXPECT_EQ(counts_of({{0, 7, kR | trace::kRunMayWritten}}),
            (AccessCounts{7, 7, 0, 0, 0}));
  EXPECT_EQ(counts_of({{0, 8, kR | trace::kRunCarried}}),
            (AccessCounts{8, 8, 0, 0, 0}));
  EXPECT_EQ(counts_of({{0, 9, trace::kRunCarried | trace::kRunMayRead}}),
            (AccessCounts{0, 0, 0, 9, 0}));
}

TEST(AccessCounts, SumsAndLargest) {
  AccessCounts counts = {1, 2, 3, 4, 5};
  counts.add(AccessCounts{10, 20, 30, 40, 50});
  EXPECT_EQ(counts, (AccessCounts{11, 22, 33, 44, 55}));
  counts.take_largest({100, 0, 100, 0, 100});
  EXPECT_EQ(counts, (AccessCounts{100, 22, 100, 44, 100}));
}

TEST(AccessSets, HoldWhatIsCertain) {
  MemoryBudget budget(1 << 20);
  AccessSets sets(budget);
  sets.add({0, 4, kR});
  sets.add({2, 4, kW});
  sets.add({10, 5, trace::kRunMayWritten});
  sets.add({20, 5, trace::kRunCarried});
  EXPECT_EQ(sets.accessed.count(), 6u);
  EXPECT_EQ(sets.read.count(), 4u);
  EXPECT_EQ(sets.written.count(), 4u);
}

} // namespace
} // namespace pagetide::tools

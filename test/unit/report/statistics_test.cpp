//===- statistics_test.cpp - Sets, percentiles, curves in little memory ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/distribution.h"
#include "analysis/granule_set.h"
#include "analysis/time_curve.h"
#include "short_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

namespace pagetide::tools {
namespace {

TEST(GranuleSet, CountsWhatAPlainSetCounts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    MemoryBudget budget(1 << 24);
    GranuleSet set(budget);
    std::vector<bool> plain(40000);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t first = random() % plain.size();
      // Mostly short, sometimes over several blocks of 4096.
      const std::uint64_t most = i % 10 == 0 ? 15000 : 80;
      const std::uint64_t end =
          std::min<std::uint64_t>(plain.size(), first + random() % most);
      set.insert(first, end);
      for (std::uint64_t granule = first; granule < end; ++granule)
        plain[granule] = true;
      ASSERT_EQ(set.count(), static_cast<std::uint64_t>(
                                 std::count(plain.begin(), plain.end(), true)));
    }
    EXPECT_FALSE(set.is_lower_bound());
  }
}

TEST(GranuleSet, LongRunsCostLittle) {
  MemoryBudget budget(4096);
  GranuleSet set(budget);
  set.insert(1, std::uint64_t{1} << 41);
  EXPECT_EQ(set.count(), (std::uint64_t{1} << 41) - 1);
  set.insert(0, std::uint64_t{1} << 40);
  EXPECT_EQ(set.count(), std::uint64_t{1} << 41);
  EXPECT_FALSE(set.is_lower_bound());
}

TEST(GranuleSet, BlocksBecomeRangesAndJoin) {
  MemoryBudget budget(1 << 20);
  GranuleSet set(budget);
  set.insert(10, 20);         // a bitmap
  set.insert(0, 4096);        // covers it
  set.insert(8192, 3 * 4096); // another range
  set.insert(4096, 8192);     // joins the two
  set.insert(100, 12000);     // inside
  EXPECT_EQ(set.count(), 3u * 4096);
}

TEST(GranuleSet, BeyondItsMemoryItIsALowerBound) {
  MemoryBudget budget(2000);
  GranuleSet set(budget);
  for (std::uint64_t block = 0; block < 100; ++block)
    set.insert(block * 4096, block * 4096 + 1);
  EXPECT_TRUE(set.is_lower_bound());
  EXPECT_GT(set.count(), 0u);
  EXPECT_LT(set.count(), 100u);
}

TEST(GranuleSet, GivesItsMemoryBack) {
  MemoryBudget budget(1000);
  for (int round = 0; round < 10; ++round) {
    GranuleSet set(budget);
    set.insert(5, 6);
    EXPECT_FALSE(set.is_lower_bound());
  }
}

TEST(Distribution, PercentilesAreExactForSmallCounts) {
  Distribution counts;
  EXPECT_EQ(counts.percentile(0.5), 0u);
  std::vector<std::uint64_t> values;
  std::mt19937_64 random(5);
  for (int i = 0; i < 1001; ++i) {
    values.push_back(random() % (1 << 20));
    counts.add(values.back());
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(counts.percentile(0), values[0]);
  EXPECT_EQ(counts.percentile(0.5), values[500]);
  EXPECT_EQ(counts.percentile(0.95), values[950]);
  EXPECT_EQ(counts.percentile(1), values[1000]);
  EXPECT_EQ(counts.maximum(), values.back());
}

TEST(Distribution, LargeCountsAreClose) {
  for (unsigned bits = 20; bits < 64; ++bits) {
    const std::uint64_t value = (std::uint64_t{1} << bits) * 1.37;
    Distribution counts;
    counts.add(value);
    EXPECT_LE(counts.percentile(0.5), value);
    EXPECT_GE(counts.percentile(0.5), value - value / 65536);
    EXPECT_EQ(counts.maximum(), value);
  }
  Distribution counts;
  counts.add(UINT64_MAX);
  counts.add(UINT64_MAX);
  EXPECT_EQ(counts.sum(), UINT64_MAX);
}

TEST(TimeCurve, KeepsTheLargestOfEachColumn) {
  TimeCurve curve;
  for (std::uint64_t i = 0; i < 100; ++i)
    curve.add(1000 + i * 10, 1000 + (i + 1) * 10, i == 37 ? 500 : i);
  EXPECT_EQ(curve.start_ns(), 1000u);
  EXPECT_EQ(curve.duration_ns(), 1000u);
  const auto columns = curve.columns(10);
  const std::vector<std::optional<std::uint64_t>> expected = {
      9, 19, 29, 500, 49, 59, 69, 79, 89, 99};
  EXPECT_EQ(columns, expected);
}

TEST(TimeCurve, DoublesItsStretches) {
  TimeCurve curve;
  for (std::uint64_t i = 0; i < 20000; ++i)
    curve.add(i * kMs, (i + 1) * kMs, 1 + i / 5000);
  const auto columns = curve.columns(16);
  EXPECT_EQ(columns.size(), 16u);
  EXPECT_EQ(columns.front(), 1u);
  EXPECT_EQ(columns.back(), 4u);
  EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end()));
}

TEST(TimeCurve, TakesAnyTimes) {
  TimeCurve curve;
  curve.add(1000, 1000, 1);    // an instant
  curve.add(0, 10, 2);         // before the first
  curve.add(0, UINT64_MAX, 3); // all of time
  curve.add(UINT64_MAX, UINT64_MAX, 4);
  EXPECT_EQ(curve.duration_ns(), UINT64_MAX - 1000);
  EXPECT_EQ(curve.columns(3).back(), 4u);
}

std::string plain_label(double value, const void *) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(DrawCurve, DrawsWithBlocks) {
  TimeCurve curve;
  for (std::uint64_t i = 0; i < 32; ++i)
    curve.add(i * 1000, (i + 1) * 1000, i + 1);
  CurveStyle style;
  style.width = 45;
  style.height = 4;
  EXPECT_EQ(draw_curve(curve, style, plain_label, nullptr),
            "         32 ┤                        ▁▂▃▄▅▆▇█\n"
            "            │                ▁▂▃▄▅▆▇█████████\n"
            "         16 ┤        ▁▂▃▄▅▆▇█████████████████\n"
            "            │▁▂▃▄▅▆▇█████████████████████████\n"
            "          0 └────────────────────────────────\n"
            "             0 s                        32 us\n");
}

TEST(DrawCurve, FallsBackToAscii) {
  TimeCurve curve;
  curve.add(0, 500, 2);
  curve.add(500, 1000, 6);
  CurveStyle style;
  style.width = 33;
  style.height = 2;
  style.unicode = false;
  EXPECT_EQ(draw_curve(curve, style, plain_label, nullptr),
            "          6 +          ||||||||||\n"
            "          3 +::::::::::||||||||||\n"
            "          0 +--------------------\n"
            "             0 s             1 us\n");
}

} // namespace
} // namespace pagetide::tools

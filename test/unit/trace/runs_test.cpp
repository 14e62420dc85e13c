//===- runs_test.cpp - Unions of run lists --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/runs.h"

#include "short_names.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace pagetide::tools {
namespace {

TEST(NormalizedFlags, TheStrongerStatementStays) {
  EXPECT_EQ(normalized_flags(kR | trace::kRunMayRead), kR);
  EXPECT_EQ(normalized_flags(kR | trace::kRunMayWritten),
            kR | trace::kRunMayWritten);
  EXPECT_EQ(normalized_flags(kW | trace::kRunMayWritten | trace::kRunCarried),
            kW);
  EXPECT_EQ(normalized_flags(kR | trace::kRunCarried), kR | trace::kRunCarried);
  EXPECT_EQ(normalized_flags(trace::kRunAccessed | kMayFlags),
            unsigned{trace::kRunAccessed});
}

TEST(CertainFlags, LeavesOutWhatIsOnlyPossible) {
  EXPECT_EQ(certain_flags(kR | trace::kRunMayWritten), kR);
  EXPECT_EQ(certain_flags(trace::kRunCarried), 0u);
  EXPECT_EQ(certain_flags(kMayFlags), 0u);
}

TEST(MergeRuns, SplitsAndJoins) {
  const std::vector<GranuleRun> a = {{0, 10, kR}, {20, 5, kR}, {25, 5, kW}};
  const std::vector<GranuleRun> b = {{5, 10, kW}, {20, 10, kR}, {100, 1, kR}};
  EXPECT_EQ(text_of(merge_runs(a, b)),
            "0+5:1 5+5:3 a+5:2 14+5:1 19+5:3 64+1:1");
  EXPECT_EQ(merge_runs(a, b), merge_runs(b, a));
  EXPECT_EQ(merge_runs(a, {}), a);
  EXPECT_EQ(merge_runs({}, b), b);
  EXPECT_TRUE(merge_runs({}, {}).empty());
}

TEST(MergeRuns, TouchingRunsThatSayTheSameBecomeOne) {
  const std::vector<GranuleRun> a = {{0, 5, kR}};
  const std::vector<GranuleRun> b = {{5, 5, kR}};
  EXPECT_EQ(text_of(merge_runs(a, b)), "0+a:1");
}

/// Flags of granules 0 to 63, the slow and plain way.
using Plain = std::array<unsigned, 64>;

std::vector<GranuleRun> random_runs(std::mt19937 &random, Plain &plain) {
  constexpr unsigned kFlags[] = {1, 2, 3, 8, 9, 16, 17, 32};
  std::vector<GranuleRun> runs;
  std::uint64_t at = random() % 4;
  while (at < 60) {
    const std::uint64_t count = 1 + random() % std::min<unsigned>(9, 64 - at);
    const unsigned flag = kFlags[random() % std::size(kFlags)];
    runs.push_back({at, count, flag});
    for (std::uint64_t i = at; i < at + count; ++i)
      plain[i] |= flag;
    at += count + random() % 5;
  }
  return runs;
}

TEST(MergeRuns, AgreesWithAPlainTable) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    PeriodPart part;
    Plain plain = {};
    const unsigned threads = 1 + random() % 9;
    for (unsigned tid = 1; tid <= threads; ++tid)
      part.add_section(tid, random_runs(random, plain));
    std::vector<GranuleRun> scratch;
    const std::span<const GranuleRun> all = union_of_sections(part, scratch);
    Plain merged = {};
    std::uint64_t position = 0;
    for (const GranuleRun &run : all) {
      ASSERT_GE(run.first, position);
      position = run.end();
      for (std::uint64_t i = run.first; i < run.end(); ++i)
        merged[i] = run.flags;
    }
    for (std::size_t i = 0; i < plain.size(); ++i)
      ASSERT_EQ(normalized_flags(merged[i]), normalized_flags(plain[i])) << i;
  }
}

TEST(MergeRuns, ManyThreadsFarApart) {
  // More blocks than there is room for at first, runs of any length, and the
  // highest granules.
  constexpr std::uint64_t kHighest = (std::uint64_t{1} << 52) - 1;
  std::mt19937_64 random(2);
  PeriodPart part;
  std::map<std::uint64_t, unsigned> plain;
  for (std::uint32_t tid = 1; tid <= 20; ++tid) {
    std::vector<GranuleRun> runs;
    for (std::uint64_t at = random() % 100; at < 400'000;) {
      const std::uint64_t count = 1 + random() % (random() % 50 ? 3 : 200);
      const unsigned flag = random() % 2 ? trace::kRunRead : trace::kRunWritten;
      runs.push_back({at, count, flag});
      for (std::uint64_t i = at; i < at + count; ++i)
        plain[i] |= flag;
      at += count + random() % 3000;
    }
    runs.push_back({kHighest, 1, trace::kRunRead});
    plain[kHighest] = trace::kRunRead;
    part.add_section(tid, runs);
  }
  std::vector<GranuleRun> expected;
  for (const auto &[granule, flags] : plain)
    append_run(expected, granule, 1, flags);
  std::vector<GranuleRun> scratch;
  const std::span<const GranuleRun> all = union_of_sections(part, scratch);
  EXPECT_TRUE(std::ranges::equal(all, expected));
}

TEST(MergeRuns, LongRunsOfManyThreadsTakeNoLongerThanShortOnes) {
  PeriodPart part;
  for (std::uint32_t tid = 1; tid <= 64; ++tid)
    part.add_section(tid, std::vector<GranuleRun>{
                              {tid, std::uint64_t{1} << 40, trace::kRunRead}});
  std::vector<GranuleRun> scratch;
  const std::vector<GranuleRun> expected = {
      {1, (std::uint64_t{1} << 40) + 63, trace::kRunRead}};
  EXPECT_TRUE(std::ranges::equal(union_of_sections(part, scratch), expected));
}

} // namespace
} // namespace pagetide::tools

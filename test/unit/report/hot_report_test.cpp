//===- hot_report_test.cpp - How often, and how lately, pages are used ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/page_table.h"
#include "run_report_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

/// "1-1: 30/20 2-3: 20/20": granules and those that were written.
std::string octaves_of(const RunReport &report, const char *list) {
  std::string text;
  for (const Json &octave : json_of(report, list))
    if (octave.at("granules") != 0)
      text += fmt::format(
          "{}{}-{}: {}/{}", text.empty() ? "" : " ",
          number_of(octave.at("from")), number_of(octave.at("to")),
          number_of(octave.at("granules")), number_of(octave.at("written")));
  return text;
}

/// Writes are "-" if they are not told.
std::string ranges_of(const RunReport &report) {
  std::string text;
  for (const Json &range : json_of(report, "ranges"))
    text += fmt::format(
        "{}{}+{:x} {}/{} {} ago {}", text.empty() ? "" : " | ",
        std::stoull(range.at("address").get<std::string>(), nullptr, 16) >> 12,
        number_of(range.at("granules")), number_of(range.at("periods")),
        range.at("written").is_null() ? "-" : range.at("written").dump(),
        number_of(range.at("age")), range.at("mapping").get<std::string>());
  return text;
}

/// As test/cli/tools/Inputs/report_program.c does it.
const Bytes &program() {
  static const Bytes kBytes =
      trace_with({period_with(0, {{0, 40, kW}}), period_with(1, {{20, 30, kR}}),
                  period_with(2, {{20, 10, kW}}), period_with(3, {})},
                 {one_mapping("region", 0, 64)});
  return kBytes;
}

TEST(HotReport, HowOftenAndHowLately) {
  const auto made = make_hot_report();
  RunReport &report = *made;
  add_trace(report, program());
  EXPECT_EQ(octaves_of(report, "by_periods"), "1-1: 30/20 2-3: 20/20");
  EXPECT_EQ(octaves_of(report, "by_age"), "1-1: 10/10 2-3: 40/30");
  EXPECT_EQ(ranges_of(report),
            "20+a 3/2 1 ago region | 30+a 2/1 2 ago region | "
            "0+14 1/1 3 ago region | 40+a 1/0 2 ago region");
}

TEST(HotReport, OfOneKindOfAccess) {
  Selection selection;
  selection.reads = true;
  const auto made = make_hot_report();
  RunReport &report = *made;
  add_trace(report, program(), selection);
  EXPECT_EQ(ranges_of(report), "20+1e 1/- 2 ago region");
  const std::string text = report.text(selection.words(), ReportStyle());
  EXPECT_NE(text.find("each page of 4 KiB was read, and"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("written"), std::string::npos) << text;
}

TEST(HotReport, RangesEndWithTheirMapping) {
  const Bytes bytes =
      trace_with({period_with(0, {{0, 8, kR}})},
                 {{kSampleStartNs,
                   {{0, 4 << 12, 3, 0, "a"}, {4 << 12, 2 << 12, 3, 0, "b"}}}});
  const auto made = make_hot_report();
  RunReport &report = *made;
  add_trace(report, bytes);
  EXPECT_EQ(ranges_of(report),
            "0+4 1/0 0 ago a | 4+2 1/0 0 ago b | 6+2 1/0 0 ago [unknown]");
}

TEST(HotReport, AMappingThatIsListedLaterCounts) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(period_with(0, {{0, 2, kW}}));
  writer.write(one_mapping("late", 0, 2));
  writer.write(period_with(1, {{1, 1, kR}}));
  writer.write(End{});
  const auto made = make_hot_report();
  RunReport &report = *made;
  Selection selection;
  selection.mapping = "late";
  add_trace(report, sink.bytes(), selection);
  EXPECT_EQ(ranges_of(report), "1+1 2/1 0 ago late | 0+1 1/1 1 ago late");
}

TEST(HotReport, ThreadsOfOnePeriodCountOnce) {
  const auto made = make_hot_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("threads"));
  EXPECT_EQ(octaves_of(report, "by_periods"), "1-1: 7/5 2-2: 2/2");
}

TEST(HotReport, ProcessesHavePagesOfTheirOwn) {
  const auto made = make_hot_report();
  RunReport &report = *made;
  add_trace(report, program());
  add_trace(report, program());
  EXPECT_EQ(octaves_of(report, "by_periods"), "1-1: 60/40 2-3: 40/40");
  ReportStyle style;
  style.top = 3;
  const std::string text = report.text("", style);
  EXPECT_NE(text.find("process"), std::string::npos);
  EXPECT_NE(text.find("  and 5 more ranges\n"), std::string::npos) << text;
  EXPECT_EQ(json_of(report, "ranges").size(), 8u);
}

TEST(PageTable, KeepsTheRecordsItHasRoomFor) {
  // Two blocks of 64 records, in one region of 512 blocks.
  PageTable<int> table(512 * sizeof(void *) + 96 + 2 * (64 * sizeof(int) + 96));
  const auto add = [](int &record) { ++record; };
  table.visit(10, 20, add);
  table.visit(100, 101, add);
  EXPECT_FALSE(table.is_lower_bound());
  table.visit(0, std::uint64_t{1} << 40, add);
  EXPECT_TRUE(table.is_lower_bound());
  table.visit(70, 71, add);
  std::uint64_t sum = 0;
  table.each([&](std::uint64_t granule, int record) {
    EXPECT_LT(granule, 128u);
    sum += static_cast<std::uint64_t>(record);
  });
  EXPECT_EQ(sum, 10u + 1 + 128 + 1);
}

TEST(PageTable, RecordsOfAllRegionsByRisingGranules) {
  PageTable<int> table(1 << 20);
  const auto add = [](int &record) { ++record; };
  constexpr std::uint64_t kRegion = 512 * 64;
  const std::vector<std::uint64_t> expected = {
      3, kRegion - 1, kRegion, 5 * kRegion + 700, std::uint64_t{1} << 50};
  for (const std::size_t i : {3u, 0u, 4u, 2u, 1u, 0u})
    table.visit(expected[i], expected[i] + 1, add);
  std::vector<std::uint64_t> found;
  std::uint64_t last = 0;
  table.each([&](std::uint64_t granule, int record) {
    EXPECT_GE(granule, last);
    last = granule;
    if (record != 0)
      found.push_back(granule);
  });
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(table.is_lower_bound());

  // When memory is spent, the next block is found in any region.
  PageTable<int> full(3 * (512 * sizeof(void *) + 96) +
                      3 * (64 * sizeof(int) + 96));
  for (const std::uint64_t granule : {kRegion, 9 * kRegion, 9 * kRegion + 640})
    full.visit(granule, granule + 1, add);
  full.visit(20 * kRegion, 20 * kRegion + 1, add); // a region without a block
  std::uint64_t sum = 0;
  full.visit(0, 30 * kRegion, [&](int &record) {
    ++record;
    ++sum;
  });
  EXPECT_EQ(sum, 3u * 64);
  EXPECT_TRUE(full.is_lower_bound());
}

} // namespace
} // namespace pagetide::tools

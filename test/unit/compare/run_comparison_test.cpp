//===- run_comparison_test.cpp - Where two runs differ --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/run_comparison.h"

#include "compare/diff_text.h"
#include "compare/wss_diff.h"
#include "report/run_report_testing.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pagetide::tools {
namespace {

/// Two runs of one process each, in files.
class RunComparisonTest : public testing::Test {
protected:
  RunComparison compare(const Bytes &a, const Bytes &b,
                        const DiffOptions &options = {}) {
    return RunComparison({directory_.write("a", a)}, {directory_.write("b", b)},
                         options);
  }
  ScratchDirectory directory_;
};

/// "equal/different/only A/only B/open".
std::string text_of(const Tally &tally) {
  return fmt::format("{}/{}/{}/{}/{}", tally.equal, tally.different,
                     tally.only_a, tally.only_b, tally.open);
}

/// The program ends the samples' periods.
trace::FileHeader driven_header() {
  trace::FileHeader header = sample_header();
  header.period_ns = 0;
  return finished_header(header);
}

/// A period whose pages are written and have checksums by their numbers.
PeriodPart written(std::uint64_t index, const std::vector<GranuleRun> &runs) {
  PeriodPart period = period_with(index, runs);
  add_stable_checksums(period, 12, runs);
  return period;
}

Bytes driven(const std::vector<PeriodPart> &periods,
             const std::vector<Mappings> &mappings = {}) {
  return trace_with(periods, mappings, driven_header());
}

TEST_F(RunComparisonTest, ARunEqualsItself) {
  for (const char *name : {"basic", "threads", "parts", "carried", "access"}) {
    for (const bool relative : {false, true}) {
      const Bytes bytes = sample_trace(name);
      DiffOptions options;
      options.relative = relative;
      const RunComparison both = compare(bytes, bytes, options);
      EXPECT_NE(both.verdict(), Verdict::kDifferent) << name;
      EXPECT_EQ(both.sum().periods.differences(), 0u) << name;
      EXPECT_EQ(both.sum().pages.differences(), 0u) << name;
      EXPECT_TRUE(both.differences().empty()) << name;
    }
  }
}

TEST_F(RunComparisonTest, EqualRuns) {
  const Bytes bytes = driven({written(0, {{0x100, 4, kW}}), written(1, {})});
  const RunComparison both = compare(bytes, bytes);
  EXPECT_EQ(both.verdict(), Verdict::kEqual);
  EXPECT_EQ(text_of(both.processes()), "1/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().periods), "2/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().accesses), "4/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().checksums), "4/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().pages), "4/0/0/0/0");
}

TEST_F(RunComparisonTest, PagesBeyondMemoryTakeNoChecksumsFromOthers) {
  // So many that the table of the whole run is full. Before them lie two that
  // it has no room for.
  const PeriodPart full = period_with(0, {{0x10000000, 8u << 20, kW}});
  const std::vector<GranuleRun> runs = {{0x10000000 - 2, 4, kW}};
  PeriodPart other = written(1, runs);
  other.hashes[0] ^= 1;
  other.hashes[1] ^= 2;
  const RunComparison both =
      compare(driven({full, written(1, runs)}), driven({full, other}));
  EXPECT_EQ(text_of(both.sum().checksums), "2/2/0/0/0");
  EXPECT_EQ(both.sum().final_checksums.equal, 2u);
  EXPECT_EQ(both.sum().final_checksums.different, 0u);
}

TEST_F(RunComparisonTest, ThePeriodAndPageOfADifferingChecksum) {
  PeriodPart other = written(1, {{0x100, 4, kW}});
  other.hashes[2] ^= 1;
  const RunComparison both = compare(
      driven({written(0, {{0x100, 4, kW}}), written(1, {{0x100, 4, kW}}),
              written(2, {{0x100, 1, kW}})},
             {one_mapping("[heap]", 0x100, 16)}),
      driven(
          {written(0, {{0x100, 4, kW}}), other, written(2, {{0x100, 1, kW}})},
          {one_mapping("[heap]", 0x100, 16)}));
  EXPECT_EQ(both.verdict(), Verdict::kDifferent);
  EXPECT_EQ(text_of(both.sum().periods), "2/1/0/0/0");
  EXPECT_EQ(text_of(both.sum().checksums), "8/1/0/0/0");
  EXPECT_EQ(text_of(both.sum().final_checksums), "3/1/0/0/0");
  ASSERT_EQ(both.differences().size(), 1u);
  const Difference &first = both.differences().front();
  EXPECT_EQ(first.kind, DifferenceKind::kChecksum);
  EXPECT_EQ(first.period, 1u);
  EXPECT_EQ(first.start_ns, 500'000'000u);
  EXPECT_EQ(first.granule_a, 0x102u);
  EXPECT_EQ(first.mapping, "[heap] + 0x2000");
  EXPECT_EQ(first.hash_a ^ first.hash_b, 1u);
  const std::string text = diff_text(both, ReportStyle());
  EXPECT_NE(text.find("DIFFERENT. The first difference is in period 1, 500 ms "
                      "after the run's start"),
            std::string::npos)
      << text;
}

TEST_F(RunComparisonTest, PagesOfOneRunOnly) {
  const RunComparison both =
      compare(driven({period_with(0, {{0x100, 4, kR}, {0x200, 1, kW}})}),
              driven({period_with(0, {{0x102, 4, kR}, {0x200, 1, kR}})}));
  EXPECT_EQ(text_of(both.sum().accesses), "2/1/2/2/0");
  EXPECT_EQ(text_of(both.sum().pages), "2/1/2/2/0");
  ASSERT_EQ(both.differences().size(), 3u);
  EXPECT_EQ(both.differences()[0].granules, 2u);
  EXPECT_TRUE(both.differences()[0].in_a);
  EXPECT_FALSE(both.differences()[0].in_b);
  EXPECT_EQ(both.differences()[1].granule_b, 0x104u);
  EXPECT_EQ(both.differences()[2].kind, DifferenceKind::kAccess);
}

TEST_F(RunComparisonTest, WhatIsOnlyPossibleIsNotADifference) {
  const RunComparison both =
      compare(driven({period_with(
                  0, {{0x100, 1, kR}, {0x101, 1, kW}, {0x102, 1, kR | kW}})}),
              driven({period_with(0, {{0x100, 1, trace::kRunMayRead},
                                      {0x101, 1, trace::kRunCarried},
                                      {0x102, 1, kR}})}));
  EXPECT_EQ(text_of(both.sum().accesses), "0/1/0/0/2");
  EXPECT_EQ(compare(driven({period_with(0, {{1, 1, kR}})}),
                    driven({period_with(0, {{1, 1, trace::kRunMayRead}})}))
                .verdict(),
            Verdict::kUndecided);
}

TEST_F(RunComparisonTest, FurtherPeriodsOfOneRunAreADifference) {
  const Bytes one = driven({written(0, {{1, 1, kW}})});
  const Bytes two =
      driven({written(0, {{1, 1, kW}}), written(1, {{1, 1, kW}})});
  const RunComparison both = compare(one, two);
  EXPECT_EQ(both.verdict(), Verdict::kDifferent);
  EXPECT_EQ(text_of(both.sum().periods), "1/0/0/1/0");
  ASSERT_EQ(both.differences().size(), 1u);
  EXPECT_EQ(both.differences()[0].kind, DifferenceKind::kPeriod);
  EXPECT_EQ(both.differences()[0].period, 1u);
}

TEST_F(RunComparisonTest, ACutTraceIsNeverEqual) {
  const Bytes two =
      driven({written(0, {{1, 1, kW}}), written(1, {{1, 1, kW}})});
  Bytes cut = two;
  cut.resize(cut.size() - 40);
  const RunComparison both = compare(two, cut);
  EXPECT_EQ(both.verdict(), Verdict::kUndecided);
  EXPECT_EQ(both.sum().periods.differences(), 0u);
  EXPECT_EQ(both.sum().periods.equal + both.sum().periods.open, 2u);
  EXPECT_NE(diff_text(both, ReportStyle()).find("EQUAL AS FAR AS BOTH GO"),
            std::string::npos);
}

TEST_F(RunComparisonTest, PeriodsOfOtherLengthsAreComparedAsAWhole) {
  const RunComparison both =
      compare(driven({written(0, {{1, 1, kW}}), written(1, {{2, 1, kW}})}),
              trace_with({written(0, {{1, 2, kW}})}));
  EXPECT_FALSE(both.by_periods());
  EXPECT_EQ(both.verdict(), Verdict::kEqual);
  EXPECT_EQ(text_of(both.sum().pages), "2/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().final_checksums), "2/0/0/0/0");
}

TEST_F(RunComparisonTest, WholeRunsAreComparedByTheLastChecksums) {
  PeriodPart early = written(0, {{1, 1, kW}});
  early.hashes[0] ^= 1;
  DiffOptions options;
  options.whole = true;
  const Bytes a = driven({early, written(1, {{1, 1, kW}})});
  const Bytes b = driven({written(0, {}), written(1, {{1, 1, kW}})});
  EXPECT_EQ(compare(a, b, options).verdict(), Verdict::kEqual);
  EXPECT_EQ(compare(a, b).verdict(), Verdict::kDifferent);
}

TEST_F(RunComparisonTest, PagesThatAreGoneInBothRunsHaveNoContentsToCompare) {
  PeriodPart gone = written(0, {{0x100, 1, kW}, {0x200, 3, kW}});
  gone.hashes.resize(1);
  gone.checksum_runs[1].state =
      static_cast<std::uint8_t>(trace::ChecksumState::kGone);
  const Bytes bytes = driven({gone});
  const RunComparison both = compare(bytes, bytes);
  EXPECT_EQ(both.verdict(), Verdict::kEqual);
  EXPECT_EQ(text_of(both.sum().checksums), "1/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().final_checksums), "1/0/0/0/0");
  EXPECT_EQ(both.sum().gone, 3u);
  EXPECT_EQ(both.sum().final_gone, 3u);
  const std::string text = diff_text(both, ReportStyle());
  EXPECT_NE(text.find("Without contents: 3 checksums"), std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(diff_json(both));
  EXPECT_EQ(json["gone_checksums"], 3);
  EXPECT_EQ(json["gone_last_checksums"], 3);
  // What one run could still read may have been equal in the other.
  const RunComparison one =
      compare(bytes, driven({written(0, {{0x100, 1, kW}, {0x200, 3, kW}})}));
  EXPECT_EQ(one.verdict(), Verdict::kUndecided);
  EXPECT_EQ(text_of(one.sum().checksums), "1/0/0/0/3");
  EXPECT_EQ(one.sum().gone, 0u);
}

TEST_F(RunComparisonTest, IgnoredMappingsDoNotDecide) {
  DiffOptions options;
  options.ignored = {"[heap]"};
  const std::vector<Mappings> heap = {one_mapping("[heap]", 0x100, 16)};
  const RunComparison both =
      compare(driven({written(0, {{0x100, 1, kW}})}, heap),
              driven({written(0, {{0x101, 1, kW}})}, heap), options);
  EXPECT_EQ(both.verdict(), Verdict::kEqual);
  EXPECT_EQ(both.sum().ignored, 2u);
  EXPECT_TRUE(both.mappings().at("[heap]").ignored);
}

TEST_F(RunComparisonTest, APageThatIsIgnoredInOneRunIsIgnored) {
  DiffOptions options;
  options.ignored = {"[heap]"};
  const Bytes heap = driven({period_with(0, {{0x100, 1, kW}})},
                            {one_mapping("[heap]", 0x100, 16)});
  const Bytes other = driven({period_with(0, {{0x100, 1, kR}})},
                             {one_mapping("/lib/x.so", 0x100, 16)});
  EXPECT_EQ(compare(heap, other, options).verdict(), Verdict::kEqual);
  EXPECT_EQ(compare(other, heap, options).verdict(), Verdict::kEqual);
}

TEST_F(RunComparisonTest, RelativeAlignsPagesByMappings) {
  const auto run = [](std::uint64_t heap, std::uint64_t stack) {
    Mappings list = one_mapping("[heap]", heap, 16);
    list.mappings.push_back({stack << 12, 16 << 12, 3, 0, "[stack]"});
    PeriodPart period = written(0, {{heap + 2, 2, kW}, {stack + 15, 1, kW}});
    period.hashes = {1, 2, 3};
    return driven({period}, {list});
  };
  DiffOptions options;
  options.relative = true;
  const RunComparison both =
      compare(run(0x100, 0x900), run(0x300, 0xa00), options);
  EXPECT_EQ(both.verdict(), Verdict::kEqual);
  EXPECT_EQ(text_of(both.sum().accesses), "3/0/0/0/0");
  EXPECT_EQ(text_of(both.sum().checksums), "3/0/0/0/0");
  EXPECT_EQ(compare(run(0x100, 0x900), run(0x300, 0xa00)).verdict(),
            Verdict::kDifferent);
}

TEST_F(RunComparisonTest, RelativeHashesTellAddressesFromOtherDifferences) {
  const auto run = [](std::uint64_t heap, std::uint64_t content,
                      std::uint64_t without_addresses) {
    trace::FileHeader header = driven_header();
    header.flags |= trace::kHeaderRelativeHashes;
    PeriodPart period = written(0, {{heap, 2, kW}});
    period.hashes = {heap, content}; // the first page points to itself
    period.relative_hashes = {7, without_addresses};
    return trace_with({period}, {one_mapping("[heap]", heap, 16)},
                      finished_header(header));
  };
  DiffOptions options;
  options.relative = true;
  const RunComparison equal =
      compare(run(0x100, 5, 5), run(0x300, 6, 5), options);
  EXPECT_EQ(equal.verdict(), Verdict::kEqual);
  EXPECT_EQ(text_of(equal.sum().checksums), "2/0/0/0/0");
  EXPECT_EQ(equal.sum().shifted, 2u);
  EXPECT_EQ(equal.sum().final_shifted, 2u);
  EXPECT_NE(diff_text(equal, ReportStyle())
                .find("Equal up to shift: 2 checksums of pages"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(diff_json(equal))["shifted_checksums"], 2);
  const RunComparison other =
      compare(run(0x100, 5, 5), run(0x300, 6, 6), options);
  EXPECT_EQ(other.verdict(), Verdict::kDifferent);
  EXPECT_EQ(text_of(other.sum().checksums), "1/1/0/0/0");
  ASSERT_EQ(other.differences().size(), 1u);
  EXPECT_EQ(other.differences()[0].granule_a, 0x101u);
  EXPECT_EQ(diff_text(other, ReportStyle()).find("--checksum-relative"),
            std::string::npos);
  // By addresses, contents must be the same in every bit.
  EXPECT_EQ(compare(run(0x100, 5, 5), run(0x100, 6, 5)).verdict(),
            Verdict::kDifferent);
}

TEST_F(RunComparisonTest, WithoutRelativeHashesAShiftCannotBeTold) {
  const auto run = [](std::uint64_t heap) {
    PeriodPart period = written(0, {{heap, 1, kW}});
    period.hashes = {heap};
    return driven({period}, {one_mapping("[heap]", heap, 16)});
  };
  DiffOptions options;
  options.relative = true;
  const RunComparison both = compare(run(0x100), run(0x300), options);
  EXPECT_EQ(both.verdict(), Verdict::kDifferent);
  EXPECT_EQ(both.sum().shifted, 0u);
  std::string text = diff_text(both, ReportStyle());
  std::ranges::replace(text, '\n', ' ');
  EXPECT_NE(text.find("Record both runs with --checksum-relative"),
            std::string::npos)
      << text;
}

TEST_F(RunComparisonTest, PagesInNoMappingCannotBeAligned) {
  DiffOptions options;
  options.relative = true;
  const Bytes bytes = driven({written(0, {{0x100, 3, kW}})});
  const RunComparison both = compare(bytes, bytes, options);
  EXPECT_EQ(both.verdict(), Verdict::kUndecided);
  EXPECT_NE(both.sum().unplaced, 0u);
}

TEST_F(RunComparisonTest, AMappingThatIsListedLateStillAligns) {
  const auto run = [](std::uint64_t heap) {
    PeriodPart period = written(0, {{heap, 1, kW}});
    period.hashes = {1};
    MemorySink sink;
    TraceWriter writer(sink);
    writer.header(driven_header());
    writer.write(period);
    writer.write(one_mapping("[heap]", heap, 16));
    writer.write(written(1, {}));
    writer.write(End{});
    return sink.bytes();
  };
  DiffOptions options;
  options.relative = true;
  EXPECT_EQ(compare(run(0x100), run(0x700), options).verdict(),
            Verdict::kEqual);
}

TEST_F(RunComparisonTest, ThreadsAreAlignedByTheOrderOfTheirStarts) {
  const auto run = [](std::uint32_t first, std::uint32_t second) {
    PeriodPart period = sample_period(0);
    const std::vector<GranuleRun> of_first = {{0x100, 1, kW}};
    const std::vector<GranuleRun> of_second = {{0x200, 1, kW}};
    // Sections are sorted by number, not by start.
    if (first < second) {
      period.add_section(first, of_first);
      period.add_section(second, of_second);
    } else {
      period.add_section(second, of_second);
      period.add_section(first, of_first);
    }
    MemorySink sink;
    TraceWriter writer(sink);
    writer.header(per_thread_header());
    writer.write(Threads{{{trace::ThreadEvent::kStart, first, 1, "a"},
                          {trace::ThreadEvent::kStart, second, 2, "b"}}});
    writer.write(period);
    writer.write(End{});
    return sink.bytes();
  };
  EXPECT_EQ(compare(run(10, 11), run(31, 30)).verdict(), Verdict::kEqual);
  PeriodPart swapped = sample_period(0);
  const RunComparison both = compare(run(10, 11), [&] {
    MemorySink sink;
    TraceWriter writer(sink);
    writer.header(per_thread_header());
    writer.write(Threads{{{trace::ThreadEvent::kStart, 30, 1, "a"},
                          {trace::ThreadEvent::kStart, 31, 2, "b"}}});
    swapped.add_section(30, std::vector<GranuleRun>{{0x200, 1, kW}});
    swapped.add_section(31, std::vector<GranuleRun>{{0x100, 1, kW}});
    writer.write(swapped);
    writer.write(End{});
    return sink.bytes();
  }());
  EXPECT_EQ(text_of(both.sum().accesses), "0/0/2/2/0");
  EXPECT_EQ(text_of(both.sum().pages), "2/0/0/0/0");
  EXPECT_EQ(both.differences().front().thread, 1u);
}

TEST_F(RunComparisonTest, GranulesMustBeEqual) {
  trace::FileHeader header = sample_header();
  header.granule_shift = header.cell_shift = 13;
  header = finished_header(header);
  EXPECT_THROW(compare(driven({}), trace_with({}, {}, header)), Failure);
}

TEST_F(RunComparisonTest, AProcessOfOneRunOnly) {
  const Bytes bytes = driven({written(0, {{1, 1, kW}})});
  const std::string a = directory_.write("a", bytes);
  const std::string b = directory_.write("b", bytes);
  const std::string more = directory_.write("more", bytes);
  const RunComparison both({a}, {b, more}, {});
  EXPECT_EQ(both.verdict(), Verdict::kDifferent);
  EXPECT_EQ(text_of(both.processes()), "1/0/0/1/0");
  const auto json = nlohmann::json::parse(diff_json(both));
  EXPECT_EQ(json["pagetide_diff"], 1);
  EXPECT_EQ(json["verdict"], "different");
  EXPECT_EQ(json["differences"][0]["kind"], "process");
  EXPECT_EQ(json["differences"][0]["pid_b"], 4242);
  EXPECT_TRUE(json["differences"][0]["pid_a"].is_null());
  EXPECT_EQ(json["b"].size(), 2u);
}

TEST_F(RunComparisonTest, WorkingSetsOfRunsWithOtherPeriods) {
  const std::string a =
      directory_.write("a", driven({period_with(0, {{0x100, 8, kR}})},
                                   {one_mapping("/old/x.so", 0x100, 16)}));
  const std::string b =
      directory_.write("b", driven({period_with(0, {{0x104, 2, kR}}),
                                    period_with(1, {{0x106, 4, kW}})},
                                   {one_mapping("/new/x.so", 0x100, 16)}));
  const WssComparison both({a}, {b}, {});
  EXPECT_EQ(both.verdict(), Verdict::kDifferent);
  EXPECT_EQ(both.a().accessed().maximum(), 8u);
  EXPECT_EQ(both.b().accessed().maximum(), 4u);
  EXPECT_EQ(both.mappings().at("x.so").a, 8u);
  EXPECT_EQ(both.mappings().at("x.so").b, 6u);
  EXPECT_EQ(both.pages().sum().pages.only_a, 4u);
  EXPECT_EQ(both.pages().sum().pages.only_b, 2u);
  EXPECT_EQ(WssComparison({a}, {a}, {}).verdict(), Verdict::kEqual);
}

TEST_F(RunComparisonTest, LinesHaveRoomAtEveryWidth) {
  const Bytes a = sample_trace("basic");
  const Bytes b = sample_trace("threads");
  const RunComparison both = compare(a, b);
  const WssComparison sizes({directory_.file("a")}, {directory_.file("b")}, {});
  for (const std::size_t width : {60, 80, 120, 200}) {
    ReportStyle style;
    style.width = width;
    for (const std::string &text : {diff_text(both, style), sizes.text(style)})
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        EXPECT_LE(columns_of(text.substr(at, end - at)), width)
            << text.substr(at, end - at);
        at = end + 1;
      }
  }
}

} // namespace
} // namespace pagetide::tools

//===- checksums_report_test.cpp - What writes changed --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/checksums_report.h"

#include "run_report_testing.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagetide::tools {
namespace {

using Result = ChecksumResult;
using State = trace::ChecksumState;

/// A checksum run of a period: these hashes, or so many granules of a state.
struct Sums {
  std::uint64_t first;
  std::vector<std::uint64_t> hashes;
  State state = State::kStable;
  std::uint64_t count = 0;
};

PeriodPart period_of(std::uint64_t index, const std::vector<GranuleRun> &runs,
                     const std::vector<Sums> &sums) {
  PeriodPart period = period_with(index, runs);
  for (const Sums &each : sums) {
    const std::uint64_t count =
        each.state == State::kStable ? each.hashes.size() : each.count;
    period.checksum_runs.push_back(
        {each.first, count, static_cast<unsigned>(each.state)});
    period.hashes.insert(period.hashes.end(), each.hashes.begin(),
                         each.hashes.end());
  }
  return period;
}

/// "changed/equal/first/unmarked/only read/unstable/gone/unreadable".
std::string text_of(const ChecksumCounts &counts) {
  return fmt::format("{}", fmt::join(counts.counts, "/"));
}

TEST(ChecksumsReport, ChangedAndEqualContents) {
  ChecksumsReport report;
  add_trace(report,
            trace_with({period_of(0, {{10, 3, kW}}, {{10, {1, 2, 3}}}),
                        period_of(1, {{10, 3, kW}}, {{10, {1, 5, 3}}}),
                        period_of(2, {{11, 2, kR | kW}}, {{11, {5, 4}}})},
                       {one_mapping("[heap]", 0, 12)}));
  EXPECT_EQ(text_of(report.sums()), "2/3/3/0/0/0/0/0");
  EXPECT_EQ(text_of(report.distinct()), "2/3/3/0/0/0/0/0");
  EXPECT_EQ(report.never_changed(), 1u) << "page 10";
  EXPECT_EQ(text_of(report.mappings().at("[heap]")), "1/2/2/0/0/0/0/0");
  EXPECT_EQ(text_of(report.mappings().at("[unknown]")), "1/1/1/0/0/0/0/0");
  ASSERT_EQ(report.stretches().size(), 3u);
  EXPECT_EQ(text_of(report.stretches()[1]), "1/2/0/0/0/0/0/0");
  EXPECT_EQ(text_of(report.stretches()[2]), "1/1/0/0/0/0/0/0");
}

TEST(ChecksumsReport, ReadsChangeNothing) {
  ChecksumsReport report;
  add_trace(report, trace_with({period_of(0, {{1, 2, kW}}, {{1, {7, 8}}}),
                                period_of(1, {{1, 2, kR}}, {{1, {7, 9}}})}));
  EXPECT_EQ(text_of(report.sums()), "0/0/2/1/1/0/0/0");
}

TEST(ChecksumsReport, NothingIsClaimedWhereTheContentBeforeIsNotKnown) {
  // Unstable; written without a checksum; and a period that is missing.
  ChecksumsReport report;
  add_trace(report, trace_with({period_of(0, {{1, 3, kW}}, {{1, {7, 7, 7}}}),
                                period_of(1, {{1, 2, kW}},
                                          {{1, {}, State::kUnstable, 1}}),
                                period_of(2, {{1, 2, kW}}, {{1, {7, 7}}}),
                                period_of(5, {{1, 3, kW}}, {{1, {7, 7, 7}}})}));
  EXPECT_EQ(text_of(report.sums()), "0/0/8/0/0/1/0/0");
  EXPECT_EQ(report.never_changed(), 0u);
}

TEST(ChecksumsReport, StatesOfTheSample) {
  ChecksumsReport report;
  add_trace(report, sample_trace("basic"));
  EXPECT_EQ(text_of(report.sums()), "2/0/10/0/0/1/1/1");
}

TEST(ChecksumsReport, OneMappingOfAll) {
  Selection selection;
  selection.mapping = "[stack]";
  ChecksumsReport report;
  add_trace(report, sample_trace("basic"), selection);
  EXPECT_EQ(text_of(report.sums()), "0/0/2/0/0/0/0/0");
  EXPECT_EQ(report.mappings().size(), 1u);
}

TEST(ChecksumsReport, OneThreadsPages) {
  Selection selection;
  selection.tid = 4242;
  ChecksumsReport report;
  add_trace(report, sample_trace("threads"), selection);
  EXPECT_EQ(text_of(report.sums()), "0/0/4/0/0/0/0/0");
}

TEST(ChecksumsReport, StretchesDoubleAndKeepSums) {
  std::vector<PeriodPart> periods;
  for (std::uint64_t i = 0; i < 9; ++i)
    periods.push_back(period_of(i, {{1, 1, kW}}, {{1, {i / 2}}}));
  ChecksumsReport report(3);
  add_trace(report, trace_with(periods));
  ASSERT_EQ(report.stretches().size(), 3u);
  EXPECT_EQ(text_of(report.stretches()[0]), "1/2/1/0/0/0/0/0");
  EXPECT_EQ(text_of(report.stretches()[1]), "2/2/0/0/0/0/0/0");
  EXPECT_EQ(text_of(report.stretches()[2]), "1/0/0/0/0/0/0/0");
}

TEST(ChecksumsReport, WithoutChecksumsItSaysHowToGetThem) {
  ChecksumsReport report;
  try {
    add_trace(report, sample_trace("fine"));
    FAIL() << "no checksums";
  } catch (const Failure &failure) {
    EXPECT_STREQ(failure.what(),
                 "memory: has no checksums; record them with: pagetide record "
                 "--checksum written -- CMD");
  }
}

TEST(ChecksumsReport, SmallTablesCountALowerBound) {
  ChecksumsReport report(20, 5000);
  add_trace(
      report,
      trace_with({period_of(0, {{0, 1000, kW}},
                            {{0, std::vector<std::uint64_t>(1000, 1)}})}));
  EXPECT_LT(report.sums().all(), 1000u);
  EXPECT_TRUE(nlohmann::json::parse(dumped(report.json("")))
                  .at("is_lower_bound")
                  .get<bool>());
}

TEST(ChecksumsReport, TextAndJson) {
  ChecksumsReport report;
  add_trace(report, trace_with({period_of(0, {{1, 1, kW}}, {{1, {7}}}),
                                period_of(1, {{1, 1, kW}}, {{1, {7}}})}));
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("Of 1 rewritten pages, summed over periods, 1 (100.0 %) "
                      "had the same content as\nbefore: these writes changed "
                      "nothing. 1 page was rewritten and never changed."),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(dumped(report.json("")));
  EXPECT_EQ(json.at("pagetide_report_checksums"), 1);
  EXPECT_EQ(json.at("summed").at("equal"), 1);
  EXPECT_EQ(json.at("never_changed"), 1);
  EXPECT_EQ(json.at("mappings").at(0).at("first"), 1);
  EXPECT_EQ(json.at("stretches").at(1).at("equal"), 1);
}

TEST(ChecksumsReport, SurvivesEverySample) {
  for (const SampleTrace &sample : sample_traces()) {
    const std::string name = sample.name;
    if (name == "damaged-header" || name == "other-version" ||
        reader_of(sample.make()).header().checksum_mode ==
            trace::ChecksumMode::kNone)
      continue;
    ChecksumsReport report(20, 1 << 20);
    add_trace(report, sample.make());
    EXPECT_EQ(report.text("", ReportStyle()).find('\x1b'), std::string::npos);
    EXPECT_FALSE(nlohmann::json::parse(dumped(report.json(""))).empty())
        << name;
  }
}

} // namespace
} // namespace pagetide::tools

//===- checksums_report_test.cpp - What writes changed --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "run_report_testing.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

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
std::string text_of(const Json &counts) {
  std::string text;
  for (const char *result : {"changed", "equal", "first", "unmarked",
                             "only_read", "unstable", "gone", "unreadable"})
    text += fmt::format("{}{}", text.empty() ? "" : "/",
                        number_of(counts.at(result)));
  return text;
}
std::string summed(const RunReport &report) {
  return text_of(json_of(report, "summed"));
}

TEST(ChecksumsReport, ChangedAndEqualContents) {
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report,
            trace_with({period_of(0, {{10, 3, kW}}, {{10, {1, 2, 3}}}),
                        period_of(1, {{10, 3, kW}}, {{10, {1, 5, 3}}}),
                        period_of(2, {{11, 2, kR | kW}}, {{11, {5, 4}}})},
                       {one_mapping("[heap]", 0, 12)}));
  EXPECT_EQ(summed(report), "2/3/3/0/0/0/0/0");
  const Json json = json_of(report);
  EXPECT_EQ(text_of(json.at("distinct")), "2/3/3/0/0/0/0/0");
  EXPECT_EQ(json.at("never_changed"), 1) << "page 10";
  ASSERT_EQ(json.at("mappings").size(), 2u);
  EXPECT_EQ(json.at("mappings")[0].at("name"), "[heap]");
  EXPECT_EQ(text_of(json.at("mappings")[0]), "1/2/2/0/0/0/0/0");
  EXPECT_EQ(json.at("mappings")[1].at("name"), "[unknown]");
  EXPECT_EQ(text_of(json.at("mappings")[1]), "1/1/1/0/0/0/0/0");
  ASSERT_EQ(json.at("stretches").size(), 3u);
  EXPECT_EQ(text_of(json.at("stretches")[1]), "1/2/0/0/0/0/0/0");
  EXPECT_EQ(text_of(json.at("stretches")[2]), "1/1/0/0/0/0/0/0");
}

TEST(ChecksumsReport, ReadsChangeNothing) {
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report, trace_with({period_of(0, {{1, 2, kW}}, {{1, {7, 8}}}),
                                period_of(1, {{1, 2, kR}}, {{1, {7, 9}}})}));
  EXPECT_EQ(summed(report), "0/0/2/1/1/0/0/0");
}

TEST(ChecksumsReport, NothingIsClaimedWhereTheContentBeforeIsNotKnown) {
  // Unstable; written without a checksum; and a period that is missing.
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report, trace_with({period_of(0, {{1, 3, kW}}, {{1, {7, 7, 7}}}),
                                period_of(1, {{1, 2, kW}},
                                          {{1, {}, State::kUnstable, 1}}),
                                period_of(2, {{1, 2, kW}}, {{1, {7, 7}}}),
                                period_of(5, {{1, 3, kW}}, {{1, {7, 7, 7}}})}));
  EXPECT_EQ(summed(report), "0/0/8/0/0/1/0/0");
  EXPECT_EQ(json_of(report, "never_changed"), 0);
}

TEST(ChecksumsReport, StatesOfTheSample) {
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("basic"));
  EXPECT_EQ(summed(report), "2/0/10/0/0/1/1/1");
}

TEST(ChecksumsReport, OneMappingOfAll) {
  Selection selection;
  selection.mapping = "[stack]";
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("basic"), selection);
  EXPECT_EQ(summed(report), "0/0/2/0/0/0/0/0");
  EXPECT_EQ(json_of(report, "mapping_count"), 1);
}

TEST(ChecksumsReport, OneThreadsPages) {
  Selection selection;
  selection.tid = 4242;
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("threads"), selection);
  EXPECT_EQ(summed(report), "0/0/4/0/0/0/0/0");
}

TEST(ChecksumsReport, StretchesDoubleAndKeepSums) {
  std::vector<PeriodPart> periods;
  for (std::uint64_t i = 0; i < 9; ++i)
    periods.push_back(period_of(i, {{1, 1, kW}}, {{1, {i / 2}}}));
  const auto made = make_checksums_report(3);
  RunReport &report = *made;
  add_trace(report, trace_with(periods));
  const Json stretches = json_of(report, "stretches");
  ASSERT_EQ(stretches.size(), 3u);
  EXPECT_EQ(text_of(stretches[0]), "1/2/1/0/0/0/0/0");
  EXPECT_EQ(text_of(stretches[1]), "2/2/0/0/0/0/0/0");
  EXPECT_EQ(text_of(stretches[2]), "1/0/0/0/0/0/0/0");
}

TEST(ChecksumsReport, WithoutChecksumsItSaysHowToGetThem) {
  const auto made = make_checksums_report();
  RunReport &report = *made;
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
  const auto made = make_checksums_report(20, 5000);
  RunReport &report = *made;
  add_trace(
      report,
      trace_with({period_of(0, {{0, 1000, kW}},
                            {{0, std::vector<std::uint64_t>(1000, 1)}})}));
  EXPECT_LT(number_of(json_of(report, "summed").at("first")), 1000u);
  EXPECT_EQ(json_of(report, "is_lower_bound"), true);
}

TEST(ChecksumsReport, TextAndJson) {
  const auto made = make_checksums_report();
  RunReport &report = *made;
  add_trace(report, trace_with({period_of(0, {{1, 1, kW}}, {{1, {7}}}),
                                period_of(1, {{1, 1, kW}}, {{1, {7}}})}));
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("Of 1 rewritten pages, summed over periods, 1 (100.0 %) "
                      "had the same content as\nbefore: these writes changed "
                      "nothing. 1 page was rewritten and never changed."),
            std::string::npos)
      << text;
  const auto json = json_of(report);
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
    const auto made = make_checksums_report(20, 1 << 20);
    RunReport &report = *made;
    add_trace(report, sample.make());
    EXPECT_EQ(report.text("", ReportStyle()).find('\x1b'), std::string::npos);
    EXPECT_FALSE(json_of(report).empty()) << name;
  }
}

} // namespace
} // namespace pagetide::tools

//===- wss_report_test.cpp - The working set over time --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/wss_report.h"

#include "run_report_testing.h"
#include "short_names.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagetide::tools {
namespace {

/// "periods accessed/read/written +new -left" of each stretch.
std::string text_of(const std::vector<WssStretch> &stretches) {
  std::string text;
  for (const WssStretch &s : stretches)
    text += fmt::format("{}{} {}/{}/{} +{} -{}", text.empty() ? "" : " | ",
                        s.periods, s.counts.accessed, s.counts.read,
                        s.counts.written, s.fresh, s.left);
  return text;
}

/// Pages 0 to 9, then 5 to 14, then nothing, then 0 to 1.
const Bytes &moving() {
  static const Bytes kBytes =
      trace_with({period_with(0, {{0, 10, kR}}),
                  period_with(1, {{5, 5, kR | kW}, {10, 5, kW}}),
                  period_with(2, {}), period_with(3, {{0, 2, kW}})});
  return kBytes;
}

TEST(WssReport, NewPagesAndPagesThatLeave) {
  WssReport report;
  add_trace(report, moving());
  EXPECT_EQ(text_of(report.stretches()),
            "1 10/10/0 +10 -0 | 1 10/5/10 +5 -5 | 1 0/0/0 +0 -10 | "
            "1 2/0/2 +0 -0");
  EXPECT_EQ(report.distinct(), 15u);
  EXPECT_EQ(report.accessed().maximum(), 10u);
  EXPECT_EQ(report.accessed().percentile(0.5), 2u);
  EXPECT_EQ(report.written().percentile(0.5), 0u);
  EXPECT_EQ(report.read().maximum(), 10u);
}

TEST(WssReport, StretchesDoubleAndKeepSums) {
  WssReport report(2);
  add_trace(report, moving());
  EXPECT_EQ(text_of(report.stretches()), "2 10/10/10 +15 -5 | 2 2/0/2 +0 -10");
}

TEST(WssReport, ThreadsCountOnce) {
  WssReport report;
  add_trace(report, sample_trace("threads"));
  // Pages 0 to 3 and 2 to 7 of two threads, and one more.
  EXPECT_EQ(text_of(report.stretches()), "1 9/8/5 +9 -0 | 1 2/0/2 +0 -7");
}

TEST(WssReport, PartsOfAPeriodAreOnePeriod) {
  WssReport report;
  add_trace(report, sample_trace("parts"));
  EXPECT_EQ(text_of(report.stretches()), "1 128/128/128 +128 -0 | "
                                         "1 1/1/0 +0 -127");
}

TEST(WssReport, CarriedAndPossiblePagesAreNotInTheWorkingSet) {
  WssReport report;
  add_trace(report, sample_trace("carried"));
  EXPECT_EQ(text_of(report.stretches()), "1 3/2/1 +3 -0");
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("2 accesses of pages that\nare possible"),
            std::string::npos)
      << text;
}

TEST(WssReport, ALongPeriodFillsItsStretches) {
  PeriodPart longer = period_with(1, {{0, 3, kR}});
  longer.end_ns += 1500 * kMs;
  PeriodPart after = period_with(5, {{0, 1, kR}});
  const Bytes bytes = trace_with({period_with(0, {{0, 1, kR}}), longer, after});
  WssReport report;
  add_trace(report, bytes);
  EXPECT_EQ(text_of(report.stretches()),
            "1 1/1/0 +1 -0 | 0 3/3/0 +0 -0 | 0 3/3/0 +0 -0 | 1 3/3/0 +2 -0 | "
            "0 3/3/0 +0 -0 | 1 1/1/0 +0 -2");
}

TEST(WssReport, ProcessesAddUp) {
  WssReport report;
  add_trace(report, moving());
  add_trace(report, moving());
  EXPECT_EQ(text_of(report.stretches()),
            "2 20/20/0 +20 -0 | 2 20/10/20 +10 -10 | 2 0/0/0 +0 -20 | "
            "2 4/0/4 +0 -0");
  EXPECT_EQ(report.distinct(), 30u);
  EXPECT_EQ(report.accessed().maximum(), 10u) << "of one process";
}

TEST(WssReport, BeginsWithTheSelectedTime) {
  Selection selection;
  selection.from_ns = 500 * kMs;
  WssReport report;
  add_trace(report, moving(), selection);
  EXPECT_EQ(text_of(report.stretches()),
            "1 10/5/10 +10 -0 | 1 0/0/0 +0 -10 | 1 2/0/2 +2 -0");
  const auto json =
      nlohmann::json::parse(dumped(report.json(selection.words())));
  EXPECT_EQ(json.at("selected"), "from 500 ms on");
  EXPECT_EQ(json.at("stretches").at(1).at("start_ns"), 1000 * kMs);
  EXPECT_EQ(json.at("stretches").at(2).at("all"), 12);
}

TEST(WssReport, OnlyWritesHaveNoOtherColumns) {
  Selection selection;
  selection.writes = true;
  WssReport report;
  add_trace(report, moving(), selection);
  EXPECT_EQ(report.accessed().maximum(), 10u);
  const std::string text = report.text(selection.words(), ReportStyle());
  EXPECT_NE(text.find("that each period wrote\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Selected: writes\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("accessed"), std::string::npos) << text;
}

TEST(WssReport, SaysWhatTheTraceLacks) {
  WssReport report;
  add_trace(report, sample_trace("damaged-inside"));
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("  INCOMPLETE: damaged at byte"), std::string::npos);
  EXPECT_NE(text.find("period 3 is missing"), std::string::npos) << text;
}

TEST(WssReport, OfNothingItSaysSo) {
  WssReport report;
  add_trace(report, sample_trace("empty"));
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("Nothing was accessed in 0 periods.\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(
      nlohmann::json::parse(dumped(report.json(""))).at("stretches").size(),
      0u);
}

TEST(WssReport, GranulesOfOneSizeOnly) {
  WssReport report;
  add_trace(report, sample_trace("basic"));
  EXPECT_THROW(add_trace(report, sample_trace("fine")), Failure);
}

TEST(WssReport, SurvivesEverySample) {
  for (const SampleTrace &sample : sample_traces()) {
    const std::string name = sample.name;
    if (name == "damaged-header" || name == "other-version")
      continue;
    WssReport report;
    add_trace(report, sample.make());
    const std::string text = report.text("", ReportStyle());
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << name;
    EXPECT_FALSE(nlohmann::json::parse(dumped(report.json(""))).empty())
        << name;
  }
}

} // namespace
} // namespace pagetide::tools

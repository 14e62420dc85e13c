//===- mappings_report_test.cpp - Pages and periods of each mapping -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "run_report_testing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pagetide::tools {
namespace {

/// "name distinct/read/written in periods sum" of each, by name.
std::string text_of(const RunReport &report) {
  std::set<std::string> texts;
  for (const Json &row : json_of(report, "mappings"))
    texts.insert(
        fmt::format("{} {}/{}/{} in {} {}", row.at("name").get<std::string>(),
                    number_of(row.at("distinct")), number_of(row.at("read")),
                    number_of(row.at("written")), number_of(row.at("periods")),
                    number_of(row.at("accessed"))));
  return fmt::format("{}", fmt::join(texts, " | "));
}

TEST(MappingsReport, DistinctPagesAndPeriods) {
  const auto made = make_mappings_report();
  RunReport &report = *made;
  add_trace(report,
            trace_with({period_with(0, {{0, 40, kW}}),
                        period_with(1, {{20, 30, kR}, {100, 1, kR | kW}}),
                        period_with(2, {{20, 10, kW}}), period_with(3, {})},
                       {one_mapping("region", 0, 64)}));
  EXPECT_EQ(text_of(report),
            "[unknown] 1/1/1 in 1 1 | region 50/30/40 in 3 80");
}

TEST(MappingsReport, PeriodsWhoseMappingCameLaterCountOnce) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(one_mapping("", 0, 1));
  writer.write(period_with(0, {{0, 1, kR}, {4, 1, kR}}));
  writer.write(period_with(1, {{0, 1, kR}, {5, 1, kR}}));
  writer.write(one_mapping("", 0, 6));
  writer.write(period_with(2, {{0, 1, kR}}));
  writer.write(End{});
  const auto made = make_mappings_report();
  RunReport &report = *made;
  add_trace(report, sink.bytes());
  EXPECT_EQ(text_of(report), "[anonymous] 3/3/0 in 3 5");
}

TEST(MappingsReport, ProcessesAddUpByName) {
  const auto made = make_mappings_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("basic"));
  add_trace(report, sample_trace("basic"));
  const Json heap = json_of(report, "mappings").at(0);
  EXPECT_EQ(heap.at("name"), "[heap]");
  EXPECT_EQ(heap.at("distinct"), 16);
  EXPECT_EQ(heap.at("written"), 16);
  EXPECT_EQ(heap.at("periods"), 4);
  EXPECT_EQ(heap.at("accessed"), 26);
}

TEST(MappingsReport, TheLargestComeFirst) {
  const auto made = make_mappings_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("basic"));
  const auto json = json_of(report);
  EXPECT_EQ(json.at("mapping_count"), 4);
  EXPECT_EQ(json.at("mappings").at(0).at("name"), "[heap]");
  EXPECT_EQ(json.at("mappings").at(1).at("name"), "/home/user/bin/sorter");
  ReportStyle style;
  style.top = 1;
  const std::string text = report.text("", style);
  EXPECT_NE(text.find("  [heap] "), std::string::npos) << text;
  EXPECT_NE(text.find("  and 3 more mappings\n"), std::string::npos) << text;
}

TEST(MappingsReport, OneMappingOfAll) {
  Selection selection;
  selection.mapping = "sorter";
  const auto made = make_mappings_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("basic"), selection);
  EXPECT_EQ(text_of(report), "/home/user/bin/sorter 4/4/0 in 2 7");
}

} // namespace
} // namespace pagetide::tools

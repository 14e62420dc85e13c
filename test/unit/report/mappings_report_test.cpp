//===- mappings_report_test.cpp - Pages and periods of each mapping -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/mappings_report.h"

#include "run_report_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagetide::tools {
namespace {

/// "name distinct/read/written in periods sum" of each.
std::string text_of(const MappingsReport &report) {
  std::string text;
  for (const auto &[name, figures] : report.mappings())
    text += fmt::format("{}{} {}/{}/{} in {} {}", text.empty() ? "" : " | ",
                        name, figures.granules, figures.read, figures.written,
                        figures.periods, figures.sum);
  return text;
}

TEST(MappingsReport, DistinctPagesAndPeriods) {
  MappingsReport report;
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
  MappingsReport report;
  add_trace(report, sink.bytes());
  EXPECT_EQ(text_of(report), "[anonymous] 3/3/0 in 3 5");
}

TEST(MappingsReport, ProcessesAddUpByName) {
  MappingsReport report;
  add_trace(report, sample_trace("basic"));
  add_trace(report, sample_trace("basic"));
  const MappingFigures &heap = report.mappings().at("[heap]");
  EXPECT_EQ(heap.granules, 16u);
  EXPECT_EQ(heap.written, 16u);
  EXPECT_EQ(heap.periods, 4u);
  EXPECT_EQ(heap.sum, 26u);
}

TEST(MappingsReport, TheLargestComeFirst) {
  MappingsReport report;
  add_trace(report, sample_trace("basic"));
  const auto json = nlohmann::json::parse(dumped(report.json("")));
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
  MappingsReport report;
  add_trace(report, sample_trace("basic"), selection);
  EXPECT_EQ(text_of(report), "/home/user/bin/sorter 4/4/0 in 2 7");
}

} // namespace
} // namespace pagetide::tools

//===- processes_report_test.cpp - The processes of a run, side by side ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/processes_report.h"

#include "run_report_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pagetide::tools {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
/// A trace of one period, with that process.
Bytes trace_of(const Process &process) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(process);
  writer.write(period_with(0, {{0, 1, kR}}));
  writer.write(End{});
  return sink.bytes();
}

TEST(ProcessesReport, PeaksPagesAndTheUnion) {
  ProcessesReport report;
  add_trace(report, trace_with({period_with(0, {{0, 8, kR}}),
                                period_with(1, {{4, 10, kW}})}));
  add_trace(report, trace_with({period_with(0, {{10, 30, kR | kW}})}));
  ASSERT_EQ(report.processes().size(), 2u);
  EXPECT_EQ(report.processes()[0].peak, 10u);
  EXPECT_EQ(report.processes()[0].granules, 14u);
  EXPECT_EQ(report.processes()[0].written, 10u);
  EXPECT_EQ(report.processes()[0].end_ns, 1000 * kMs);
  EXPECT_EQ(report.processes()[1].granules, 30u);
  EXPECT_EQ(report.addresses(), 40u);
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("In all 44 pages, 176 KiB, at 40 different addresses, in "
                      "1.000 s.\n"),
            std::string::npos)
      << text;
}

TEST(ProcessesReport, TheLargestComeFirst) {
  ProcessesReport report;
  for (const char *name : {"tiny", "basic", "threads"})
    add_trace(report, sample_trace(name));
  const auto json = nlohmann::json::parse(report.json(""));
  const auto &processes = json.at("processes");
  ASSERT_EQ(processes.size(), 3u);
  EXPECT_EQ(processes.at(0).at("distinct"), 301);
  EXPECT_TRUE(processes.at(0).at("executable").is_null());
  EXPECT_EQ(processes.at(1).at("distinct"), 15);
  EXPECT_EQ(processes.at(1).at("command"), "./sorter --input 'two words.txt'");
  EXPECT_EQ(processes.at(2).at("distinct"), 9);
  ReportStyle style;
  style.top = 2;
  const std::string text = report.text("", style);
  EXPECT_NE(text.find("\n  and 1 more process\n"), std::string::npos) << text;
}

TEST(ProcessesReport, NamesAProgramThatTheCommandDoesNot) {
  ProcessesReport report;
  add_trace(report,
            trace_of({"/usr/bin/busybox", {"ls", "-l"}, "", "marks", ""}));
  EXPECT_NE(report.text("", ReportStyle()).find("\n  [busybox] ls -l "),
            std::string::npos);
}

TEST(ProcessesReport, ALongCommandLosesItsEnd) {
  ProcessesReport report;
  add_trace(
      report,
      trace_of(
          {"/bin/prog", {"./prog", std::string(300, 'x')}, "", "marks", ""}));
  EXPECT_NE(report.text("", ReportStyle()).find("\n  ./prog xxx"),
            std::string::npos);
  EXPECT_NE(report.text("", ReportStyle()).find("xxx...  "), std::string::npos);
}

} // namespace
} // namespace pagetide::tools

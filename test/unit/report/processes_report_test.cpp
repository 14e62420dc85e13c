//===- processes_report_test.cpp - The processes of a run, side by side ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "run_report_testing.h"
#include "short_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

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
  const auto made = make_processes_report();
  RunReport &report = *made;
  add_trace(report, trace_with({period_with(0, {{0, 8, kR}}),
                                period_with(1, {{4, 10, kW}})}));
  add_trace(report, trace_with({period_with(0, {{10, 30, kR | kW}})}));
  const Json json = json_of(report);
  ASSERT_EQ(json.at("processes").size(), 2u);
  const Json &first = json.at("processes").at(1);
  EXPECT_EQ(first.at("peak"), 10);
  EXPECT_EQ(first.at("distinct"), 14);
  EXPECT_EQ(first.at("written"), 10);
  EXPECT_EQ(first.at("end_ns"), 1000 * kMs);
  EXPECT_EQ(json.at("processes").at(0).at("distinct"), 30);
  EXPECT_EQ(json.at("addresses"), 40);
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("In all 44 pages, 176 KiB, at 40 different addresses, in "
                      "1.000 s.\n"),
            std::string::npos)
      << text;
}

TEST(ProcessesReport, TheLargestComeFirst) {
  const auto made = make_processes_report();
  RunReport &report = *made;
  for (const char *name : {"tiny", "basic", "threads"})
    add_trace(report, sample_trace(name));
  const auto json = json_of(report);
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
  const auto made = make_processes_report();
  RunReport &report = *made;
  add_trace(report,
            trace_of({"/usr/bin/busybox", {"ls", "-l"}, "", "marks", ""}));
  EXPECT_NE(report.text("", ReportStyle()).find("\n  [busybox] ls -l "),
            std::string::npos);
}

TEST(ProcessesReport, ALongCommandLosesItsEnd) {
  const auto made = make_processes_report();
  RunReport &report = *made;
  add_trace(
      report,
      trace_of(
          {"/bin/prog", {"./prog", std::string(300, 'x')}, "", "marks", ""}));
  EXPECT_NE(report.text("", ReportStyle()).find("\n  ./prog xxx"),
            std::string::npos);
  EXPECT_NE(report.text("", ReportStyle()).find("xxx...  "), std::string::npos);
}

/// A process that began later, with as many granules of one period as `pages`.
Bytes process_of(std::uint32_t pid, std::uint64_t pages, std::uint64_t start,
                 std::uint32_t flags = 0) {
  trace::FileHeader header = sample_header();
  header.pid = pid;
  header.monotonic_ns += start;
  header.flags |= flags;
  return trace_with({period_with(0, {{0, pages, kW}})}, {},
                    finished_header(header));
}

TEST(ProcessesReport, SortsByWhatIsAskedFor) {
  const auto pids_by = [](const char *column) {
    const auto made = make_processes_report();
    RunReport &report = *made;
    report.sort_by(column);
    add_trace(report, process_of(20, 5, 300));
    add_trace(report, process_of(10, 9, 200));
    add_trace(report, process_of(30, 7, 100));
    std::string pids;
    const auto json = json_of(report);
    for (const auto &process : json.at("processes"))
      pids += fmt::format("{} ", process.at("pid").get<int>());
    return pids;
  };
  EXPECT_EQ(pids_by("distinct"), "10 30 20 ");
  EXPECT_EQ(pids_by("peak"), "10 30 20 ");
  EXPECT_EQ(pids_by("start_ns"), "30 10 20 ");
  EXPECT_EQ(pids_by("pid"), "10 20 30 ");
}

TEST(ProcessesReport, MarksWhatIsNotWhole) {
  const auto made = make_processes_report();
  RunReport &report = *made;
  add_trace(report, process_of(10, 5, 0));
  add_trace(report, sample_trace("unfinished"));
  add_trace(report, process_of(11, 3, 0, trace::kHeaderMarksLate));
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("written  note"), std::string::npos) << text;
  EXPECT_NE(text.find("  I: the process's trace is INCOMPLETE.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  L: marks were switched on late"), std::string::npos);
  const auto json = json_of(report);
  EXPECT_FALSE(json.at("processes").at(0).at("complete").get<bool>());
  EXPECT_TRUE(json.at("processes").at(1).at("complete").get<bool>());
  EXPECT_TRUE(json.at("processes").at(2).at("marks_late").get<bool>());
  const auto whole = make_processes_report();
  add_trace(*whole, process_of(10, 5, 0));
  EXPECT_EQ(whole->text("", ReportStyle()).find("note"), std::string::npos);
}

TEST(ProcessesReport, EmptyWordsAtTheEndAreCounted) {
  const auto made = make_processes_report();
  RunReport &report = *made;
  add_trace(
      report,
      trace_of(
          {"/bin/redis", {"redis", "*:6399", "", "", ""}, "", "marks", ""}));
  ReportStyle style;
  style.width = 120;
  const std::string text = report.text("", style);
  EXPECT_NE(text.find("\n  redis '*:6399' (and 3 empty words) "),
            std::string::npos)
      << text;
  const auto json = json_of(report);
  EXPECT_EQ(json.at("processes").at(0).at("command"),
            "redis '*:6399' '' '' ''");
}

} // namespace
} // namespace pagetide::tools

//===- threads_report_test.cpp - Private and shared pages of threads ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/sharing.h"
#include "run_report_testing.h"
#include "support/failure.h"
#include "trace/runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace pagetide::tools {
namespace {

PeriodPart shared_period(std::uint64_t index) {
  PeriodPart period = sample_period(index);
  period.add_section(7, std::vector<GranuleRun>{{0, 10, kW}});
  period.add_section(8, std::vector<GranuleRun>{{0, 5, kR}, {10, 10, kW}});
  return period;
}

/// As test/cli/tools/Inputs/report_threads.c does it.
Bytes program() {
  PeriodPart first = shared_period(0);
  first.add_section(9, std::vector<GranuleRun>{{0, 10, kR}});
  return trace_with({first, period_with(1, {{15, 10, kW}}, 9)}, {},
                    per_thread_header());
}

/// "tid granules/written alone contested in periods" of each.
std::string text_of(const RunReport &report) {
  std::string text;
  for (const Json &t : json_of(report, "threads"))
    text +=
        fmt::format("{}{} {}/{} {} {} in {}", text.empty() ? "" : " | ",
                    number_of(t.at("tid")), number_of(t.at("accessed")),
                    number_of(t.at("written")), number_of(t.at("private")),
                    number_of(t.at("contested")), number_of(t.at("periods")));
  return text;
}

using Cells = std::vector<std::vector<std::uint64_t>>;

/// The set with these members, as a page gets it.
std::uint32_t set_with(ThreadSets &sets,
                       const std::vector<std::uint32_t> &members) {
  std::uint32_t set = 0;
  for (const std::uint32_t thread : members)
    sets.add(set, thread);
  return set;
}

TEST(ThreadSets, NumbersSets) {
  ThreadSets sets;
  const std::uint32_t both = set_with(sets, {5, 3, 200});
  EXPECT_EQ(sets.members(both), (ThreadSets::Members{3, 5, 200}));
  EXPECT_EQ(sets.size(both), 3u);
  EXPECT_EQ(set_with(sets, {200, 3, 5, 3}), both) << "in any order";
  EXPECT_NE(set_with(sets, {3, 5}), both);
  EXPECT_EQ(sets.members(0), ThreadSets::Members());
}

TEST(ThreadSets, ManyAreToldApart) {
  ThreadSets sets;
  constexpr std::uint32_t kThreads = 100'000;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
      ASSERT_EQ(sets.members(set_with(sets, {thread})),
                ThreadSets::Members{thread});
}

TEST(ThreadSets, StayWhileAPageHasThem) {
  ThreadSets sets;
  const std::uint32_t kept = set_with(sets, {1, 2});
  std::uint32_t moved = set_with(sets, {1, 2});
  EXPECT_EQ(moved, kept);
  for (std::uint32_t thread = 3; thread < 3000; ++thread)
    sets.add(moved, thread);
  EXPECT_EQ(sets.members(kept), (ThreadSets::Members{1, 2}));
  EXPECT_EQ(sets.size(moved), 2999u);
}

TEST(ThreadSets, OfNoPageCostNothing) {
  ThreadSets sets(1 << 16);
  // In all 18 million members, of one set at a time.
  std::uint32_t set = 0;
  for (std::uint32_t thread = 0; thread < 6000; ++thread)
    sets.add(set, thread);
  EXPECT_FALSE(sets.is_lower_bound());
  EXPECT_EQ(sets.size(set), 6000u);
}

TEST(ThreadSets, AreBounded) {
  ThreadSets sets(1 << 16);
  std::vector<std::uint32_t> pages(1000);
  for (std::uint32_t i = 0; i < pages.size(); ++i)
    sets.add(pages[i], i);
  EXPECT_TRUE(sets.is_lower_bound());
  EXPECT_EQ(sets.members(pages.front()), ThreadSets::Members{0});
  EXPECT_EQ(pages.back(), 0u) << "there was no room for it";
}

TEST(ThreadsReport, PrivateAndShared) {
  const auto made = make_threads_report();
  RunReport &report = *made;
  add_trace(report, program());
  EXPECT_EQ(text_of(report),
            "9 20/10 5 15 in 2 | 8 15/10 5 10 in 1 | 7 10/10 0 10 in 1");
  const Json sharing = json_of(report, "sharing");
  EXPECT_EQ(sharing.at("accessed"),
            Json(Cells{{5, 10, 10}, {10, 5, 5}, {10, 5, 0}}));
  EXPECT_EQ(sharing.at("written"),
            Json(Cells{{5, 5, 0}, {5, 5, 0}, {10, 5, 0}}));
}

TEST(ThreadsReport, ManySetsOfThreadsAreCountedPairByPair) {
  constexpr std::uint32_t kThreads = 9;
  constexpr std::uint64_t kPlaces = 400;
  std::mt19937 random(3);
  Cells accessed(kThreads, std::vector<std::uint64_t>(kThreads));
  Cells written = accessed;
  std::vector<std::vector<GranuleRun>> runs(kThreads);
  for (std::uint64_t place = 0; place < kPlaces; ++place) {
    const std::uint64_t count = 1 + random() % (place % 10 == 0 ? 3000 : 2);
    const unsigned members = 1 + random() % ((1 << kThreads) - 1);
    const unsigned writers = members & random();
    for (unsigned row = 0; row < kThreads; ++row) {
      if (!(members >> row & 1))
        continue;
      append_run(runs[row], place * 4096, count, writers >> row & 1 ? kW : kR);
      for (unsigned column = 0; column < kThreads; ++column) {
        const bool counts =
            members >> column & 1 && (row != column || members == 1u << row);
        accessed[row][column] += counts ? count : 0;
        written[row][column] += counts && writers >> row & 1 ? count : 0;
      }
    }
  }
  PeriodPart period = sample_period(0);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    period.add_section(thread, runs[thread]);
  const auto made = make_threads_report();
  RunReport &report = *made;
  add_trace(report, trace_with({period}, {}, per_thread_header()));
  const Json json = json_of(report);
  const Json &sharing = json.at("sharing");
  const Json &threads = json.at("threads");
  ASSERT_EQ(threads.size(), kThreads);
  for (std::size_t i = 0; i < kThreads; ++i)
    for (std::size_t j = 0; j < kThreads; ++j) {
      const std::size_t row = threads[i].at("tid"),
                        column = threads[j].at("tid");
      EXPECT_EQ(sharing.at("accessed")[i][j], accessed[row][column]);
      EXPECT_EQ(sharing.at("written")[i][j], written[row][column]);
    }
}

TEST(ThreadsReport, ProcessesShareNothing) {
  const auto made = make_threads_report();
  RunReport &report = *made;
  add_trace(report, program());
  add_trace(report, program());
  const Json json = json_of(report);
  ASSERT_EQ(json.at("threads").size(), 6u);
  // Those of one process are every other one.
  const Json &accessed = json.at("sharing").at("accessed");
  for (std::size_t i = 0; i + 1 < 6; ++i)
    EXPECT_EQ(accessed[i][i % 2 == 0 ? i + 1 : i - 1], 0);
  EXPECT_EQ(json.at("threads").at(0).at("contested"), 15);
  EXPECT_EQ(json.at("threads").at(1).at("contested"), 15);
}

TEST(ThreadsReport, NamesThreads) {
  const auto made = make_threads_report();
  RunReport &report = *made;
  add_trace(report, sample_trace("threads"));
  EXPECT_EQ(json_of(report, "threads").size(), 3u);
  const std::string text = report.text("", ReportStyle());
  EXPECT_NE(text.find("\n  4243 worker "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  0 without own sets "), std::string::npos) << text;
}

TEST(ThreadsReport, ShowsWhatHasRoom) {
  PeriodPart period = sample_period(0);
  for (std::uint32_t tid = 100; tid < 130; ++tid)
    period.add_section(tid, std::vector<GranuleRun>{{tid, 2, kR}});
  const auto made = make_threads_report();
  RunReport &report = *made;
  add_trace(report, trace_with({period}, {}, per_thread_header()));
  ReportStyle style;
  style.top = 20;
  style.width = 60;
  const std::string text = report.text("", style);
  EXPECT_NE(text.find("  and 10 more threads\n"), std::string::npos) << text;
  EXPECT_NE(text.find("more threads have no room)\n"), std::string::npos)
      << text;
  EXPECT_EQ(json_of(report, "sharing").at("accessed").size(), 30u);
}

TEST(ThreadsReport, RefusesATracePerProcess) {
  const auto made = make_threads_report();
  RunReport &report = *made;
  EXPECT_THROW(add_trace(report, sample_trace("basic")), Failure);
  EXPECT_TRUE(report.traces().empty());
}

} // namespace
} // namespace pagetide::tools

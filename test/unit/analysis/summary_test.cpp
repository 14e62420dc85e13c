//===- summary_test.cpp - What a report counts ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/summary.h"
#include "report/report_text.h"

#include "sample_traces.h"
#include "short_names.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

Summary summary_of(const std::string &name) {
  const Bytes bytes = sample_trace(name);
  return summarize(reader_of(bytes));
}

Summary
summary_of(const std::vector<PeriodPart> &periods,
           const std::vector<std::pair<std::size_t, Mappings>> &mappings = {}) {
  MemorySink sink;
  TraceWriter writer(sink);
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderPerThread;
  writer.header(header);
  for (std::size_t i = 0; i <= periods.size(); ++i) {
    for (const auto &[before, list] : mappings)
      if (before == i)
        writer.write(list);
    if (i < periods.size())
      writer.write(periods[i]);
  }
  writer.write(End{});
  return summarize(reader_of(sink.bytes()));
}

TEST(Summary, CountsPagesOfPeriods) {
  const Summary summary = summary_of("basic");
  EXPECT_EQ(summary.completeness.integrity(), Integrity::kComplete);
  EXPECT_EQ(summary.periods, 3u);
  EXPECT_EQ(summary.final_periods, 1u);
  EXPECT_EQ(summary.overruns, 2u);
  EXPECT_EQ(summary.duration_ns, 1120 * kMs);
  // 12, 10 and 1 pages; the last period's lies in no other.
  EXPECT_EQ(summary.accessed.median, 10u);
  EXPECT_EQ(summary.accessed.maximum, 12u);
  EXPECT_EQ(summary.accessed.sum, 23u);
  EXPECT_EQ(summary.accessed.distinct, 4u + 8 + 2 + 1);
  EXPECT_EQ(summary.written.sum, 8u + 7);
  EXPECT_EQ(summary.read.sum, 12u + 7 + 1);
  EXPECT_EQ(summary.checksums.stable, 12u);
  EXPECT_EQ(summary.checksums.unstable, 1u);
  EXPECT_EQ(summary.checksums.gone, 1u);
  EXPECT_EQ(summary.checksums.unreadable, 1u);
  ASSERT_TRUE(summary.end);
  EXPECT_EQ(summary.end->reason, trace::EndReason::kExit);
}

TEST(Summary, CutsHavePausesAndReasons) {
  EXPECT_EQ(summary_of("basic").cuts.cuts, 0u);
  const CutSummary cuts = summary_of("cuts").cuts;
  EXPECT_EQ(cuts.cuts, 3u);
  EXPECT_EQ(cuts.without, 3u);
  EXPECT_EQ(cuts.pause_ns.percentile(0.5), 250'000u);
  EXPECT_EQ(cuts.pause_ns.maximum(), 900'000u);
  EXPECT_EQ(cuts.marked.maximum(), 40u);
  EXPECT_EQ(cuts.unsettled.percentile(0.5), 2u);
  ASSERT_EQ(cuts.reasons.size(), 2u);
  EXPECT_EQ(cuts.reasons[0].first, "threads share a shadow");
  EXPECT_EQ(cuts.reasons[0].second, 2u);
}

TEST(Summary, ThreadsOfOnePeriodAreCountedOnce) {
  const Summary summary = summary_of("threads");
  // Pages 0-3 and 2-7 of two threads, and one more: nine.
  EXPECT_EQ(summary.accessed.maximum, 9u);
  EXPECT_EQ(summary.accessed.distinct, 9u);
  ASSERT_EQ(summary.threads.all().size(), 3u);
  const ThreadSummary &worker = summary.threads.all().at(4243);
  EXPECT_EQ(worker.name, "worker");
  EXPECT_EQ(worker.counts.accessed, 8u);
  EXPECT_EQ(worker.counts.written, 2u);
  EXPECT_EQ(worker.periods, 2u);
  EXPECT_EQ(worker.start_ns, kSampleStartNs + kMs);
  EXPECT_EQ(worker.end_ns, kSampleStartNs + 700 * kMs);
  EXPECT_EQ(summary.threads.all().at(4242).end_ns, std::nullopt);
}

TEST(Summary, CarriedAndPossiblePagesAreNotInTheWorkingSet) {
  const Summary summary = summary_of("carried");
  // Written; read and carried; read and maybe written.
  EXPECT_EQ(summary.accessed.sum, 3u);
  EXPECT_EQ(summary.written.sum, 1u);
  EXPECT_EQ(summary.carried.sum, 1u);
  EXPECT_EQ(summary.may.sum, 2u);
  EXPECT_EQ(summary.may_read.sum, 1u);
  EXPECT_EQ(summary.may_written.sum, 2u);
  ASSERT_EQ(summary.mappings.size(), 1u);
  EXPECT_EQ(summary.mappings[0].counts.accessed, 3u);
  EXPECT_EQ(summary.mappings[0].counts.may, 2u);
}

TEST(Summary, TheReportSaysWhyPagesArePossible) {
  const auto says = [](const Summary &summary, const char *text) {
    ReportStyle style;
    style.width = 400; // the paragraph is one line
    return report_text(summary, style).find(text) != std::string::npos;
  };
  const char near[] = "Precision near does not always tell";
  const char calls[] = "or do not say what they touched";
  const char engine[] = "Engine uffd cannot tell whether they were written.";
  Summary summary = summary_of("carried");
  EXPECT_TRUE(says(summary, calls));
  EXPECT_FALSE(says(summary, near));
  EXPECT_FALSE(says(summary, engine));
  summary.header.cell_shift = abi::kNearCellShift;
  EXPECT_TRUE(says(summary, calls));
  EXPECT_TRUE(says(summary, near));
  summary.process = Process{"", {}, "", "uffd", ""};
  EXPECT_FALSE(says(summary, calls));
  EXPECT_FALSE(says(summary, near));
  EXPECT_TRUE(says(summary, engine));
}

TEST(Summary, PartsOfAPeriodAreOnePeriod) {
  const Summary summary = summary_of("parts");
  EXPECT_EQ(summary.periods, 2u);
  EXPECT_EQ(summary.accessed.maximum, 128u);
  EXPECT_EQ(summary.threads.all().at(11).periods, 2u);
  EXPECT_EQ(summary.threads.all().at(12).periods, 1u);
}

TEST(Summary, AnUnfinishedPeriodIsNoPeriod) {
  const Summary summary = summary_of("cut-parts");
  EXPECT_EQ(summary.periods, 0u);
  EXPECT_EQ(summary.completeness.integrity(), Integrity::kUnfinished);
  EXPECT_FALSE(summary.completeness.is_complete());
}

TEST(Summary, CountsMissingPeriods) {
  EXPECT_EQ(summary_of("missing").completeness.missing_count(), 3u);
  EXPECT_EQ(summary_of("missing").notes.size(), 1u);
}

TEST(Summary, TellsHarvestedPeriods) {
  const Summary summary = summary_of("harvested");
  EXPECT_EQ(summary.harvested_periods, 1u);
  EXPECT_EQ(summary.partial_periods, 1u);
  EXPECT_EQ(end_reason_name(*summary.end), "death by SIGKILL");
}

TEST(Summary, AnEndThatWasNoneIsForgotten) {
  Bytes bytes = sample_trace("failed-exec");
  bytes.resize(bytes.size() - 31);
  const Summary summary = summarize(reader_of(bytes));
  EXPECT_FALSE(summary.end);
}

TEST(Summary, NamesMappings) {
  const Summary summary = summary_of("basic");
  ASSERT_EQ(summary.mappings.size(), 4u);
  EXPECT_EQ(summary.mappings[0].name, "[heap]");
  EXPECT_EQ(summary.mappings[0].counts.accessed, 13u);
  EXPECT_EQ(summary.mappings[0].counts.written, 13u);
  EXPECT_EQ(summary.mappings[0].distinct, 8u);
  EXPECT_EQ(summary.mappings[1].name, "/home/user/bin/sorter");
  EXPECT_EQ(summary.mappings[1].counts.written, 0u);
  EXPECT_EQ(summary.mappings[3].name, "[anonymous]");
}

TEST(Summary, LooksForMappingsBeforeAndAfter) {
  std::vector<PeriodPart> periods = {sample_period(0), sample_period(1),
                                     sample_period(2)};
  const Mappings first = {0, {{0x1000, 0x1000, 3, 0, "early"}}};
  const Mappings second = {0, {{0x2000, 0x1000, 3, 0, "late"}}};
  // Period 0: before any list, within what the next one has.
  periods[0].add_section(1, std::vector<GranuleRun>{{1, 1, 1}});
  // Period 1: what the second list, which comes only then, has; and nowhere.
  periods[1].add_section(1, std::vector<GranuleRun>{{2, 1, 1}, {7, 1, 1}});
  // Period 2: gone from the list, but was in the one before.
  periods[2].add_section(1, std::vector<GranuleRun>{{1, 2, 3}});
  const Summary summary = summary_of(periods, {{1, first}, {2, second}});
  std::map<std::string, std::uint64_t> accessed;
  for (const MappingSummary &mapping : summary.mappings)
    accessed[mapping.name] = mapping.counts.accessed;
  const std::map<std::string, std::uint64_t> expected = {
      {"early", 2}, {"late", 2}, {"[unknown]", 1}};
  EXPECT_EQ(accessed, expected);
}

TEST(Summary, AsksEveryListOfThePeriodForAMapping) {
  std::vector<PeriodPart> periods = {sample_period(0), sample_period(1),
                                     sample_period(2)};
  const auto list = [](const char *name, std::uint64_t page) {
    return Mappings{0, {{page << 12, 0x1000, 3, 0, name}}};
  };
  // Period 1: libraries that came and went one after the other. Of two that lay
  // in one place the later one counts.
  periods[1].add_section(
      1, std::vector<GranuleRun>{{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 1, 1}});
  // Period 2: what went before it began is not asked.
  periods[2].add_section(1, std::vector<GranuleRun>{{2, 1, 1}, {4, 1, 1}});
  const Summary summary = summary_of(periods, {{0, list("always", 1)},
                                               {1, list("first", 2)},
                                               {1, list("second", 3)},
                                               {1, list("third", 3)},
                                               {1, list("fourth", 4)},
                                               {2, list("always", 1)}});
  std::map<std::string, std::uint64_t> accessed;
  for (const MappingSummary &mapping : summary.mappings)
    accessed[mapping.name] = mapping.counts.accessed;
  const std::map<std::string, std::uint64_t> expected = {{"always", 1},
                                                         {"first", 1},
                                                         {"third", 1},
                                                         {"fourth", 2},
                                                         {"[unknown]", 1}};
  EXPECT_EQ(accessed, expected);
}

TEST(Summary, ARunOverManyMappingsIsDivided) {
  std::vector<PeriodPart> periods = {sample_period(0)};
  periods[0].add_section(1, std::vector<GranuleRun>{{0, 10, 1}, {10, 1, 2}});
  const Mappings list = {0,
                         {{0x1000, 0x2000, 3, 0, "a"},
                          {0x3000, 0x1000, 3, 0, "b"},
                          {0x8000, 0x3000, 3, 0, "a"}}};
  const Summary summary = summary_of(periods, {{0, list}});
  ASSERT_EQ(summary.mappings.size(), 3u);
  EXPECT_EQ(summary.mappings[0].name, "[unknown]");
  EXPECT_EQ(summary.mappings[0].counts.accessed, 5u); // 0, 4 to 7
  EXPECT_EQ(summary.mappings[1].name, "a");
  EXPECT_EQ(summary.mappings[1].counts.accessed, 5u); // 1, 2, 8, 9, 10
  EXPECT_EQ(summary.mappings[1].counts.written, 1u);
  EXPECT_EQ(summary.mappings[2].name, "b");
  EXPECT_EQ(summary.mappings[2].counts.accessed, 1u);
}

TEST(Summary, SurvivesEverySample) {
  for (const SampleTrace &sample : sample_traces()) {
    const std::string name = sample.name;
    if (name != "damaged-header" && name != "other-version") {
      EXPECT_EQ(summary_of(name).header.pid,
                name == "busy-child" ? 4300u : 4242u)
          << name;
    }
  }
}

} // namespace
} // namespace pagetide::tools

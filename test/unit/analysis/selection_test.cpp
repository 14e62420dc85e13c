//===- selection_test.cpp - Parts of traces that are asked for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/selection.h"

#include "report/run_report_testing.h"
#include "short_names.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

constexpr std::uint64_t kHeap = kSampleHeap;

/// "0: 0=1+2:3 | 1: ..." : periods, and in them threads with their runs.
std::string text_of(SelectedTrace &trace) {
  std::string text;
  while (const PeriodPart *part = trace.next()) {
    text += fmt::format("{}{}:", text.empty() ? "" : " | ", part->index);
    for (const PeriodPart::Section &section : part->sections) {
      const auto runs = part->runs_of(section);
      text += fmt::format(
          " {}={}", section.tid,
          text_of(std::vector<GranuleRun>(runs.begin(), runs.end())));
    }
  }
  return text;
}

std::string selected(const Bytes &bytes, const Selection &selection = {}) {
  SelectedTrace trace(reader_of(bytes), selection, kSampleStartNs);
  trace.look_ahead([&] { return reader_of(bytes); });
  return text_of(trace);
}

const Bytes &plain() {
  static const Bytes kBytes =
      trace_with({period_with(0, {{0x10, 4, kR}, {0x20, 2, kR | kW}}),
                  period_with(1, {{0x20, 1, kW}, {0x30, 1, kR}}),
                  period_with(2, {{0x11, 1, trace::kRunMayRead}})});
  return kBytes;
}

TEST(Selection, TheDefaultIsAll) {
  EXPECT_EQ(selected(plain()),
            "0: 0=10+4:1 20+2:3 | 1: 0=20+1:2 30+1:1 | 2: 0=11+1:10");
  EXPECT_EQ(Selection().words(), "");
}

TEST(Selection, ByTimeOfPeriodsThatOverlap) {
  Selection selection;
  selection.from_ns = 500 * kMs; // where period 0 ends
  EXPECT_EQ(selected(plain(), selection), "1: 0=20+1:2 30+1:1 | 2: 0=11+1:10");
  selection.to_ns = 1000 * kMs; // where period 2 begins
  EXPECT_EQ(selected(plain(), selection), "1: 0=20+1:2 30+1:1");
  selection.from_ns = 499 * kMs;
  selection.to_ns = 501 * kMs;
  EXPECT_EQ(selected(plain(), selection),
            "0: 0=10+4:1 20+2:3 | 1: 0=20+1:2 30+1:1");
  EXPECT_EQ(selection.words(), "from 499 ms to 501 ms");
}

TEST(Selection, ByAddress) {
  Selection selection;
  selection.addresses = {0x12fff, 0x20000};
  EXPECT_EQ(selected(plain(), selection),
            "0: 0=12+2:1 20+1:3 | 1: 0=20+1:2 | 2:");
  EXPECT_EQ(selection.words(), "addresses 0x12fff to 0x20000");
}

TEST(Selection, ReadsAndWrites) {
  Selection selection;
  selection.reads = true;
  EXPECT_EQ(selected(plain(), selection),
            "0: 0=10+4:1 20+2:1 | 1: 0=30+1:1 | 2: 0=11+1:10");
  EXPECT_EQ(selection.words(), "reads");
  selection.writes = true;
  EXPECT_EQ(selected(plain(), selection), selected(plain()));
  EXPECT_EQ(selection.words(), "");
  selection.reads = false;
  EXPECT_EQ(selected(plain(), selection), "0: 0=20+2:2 | 1: 0=20+1:2 | 2:");
}

TEST(Selection, ByThread) {
  Selection selection;
  selection.tid = 4243;
  EXPECT_EQ(
      selected(sample_trace("threads"), selection),
      fmt::format("0: 4243={:x}+6:1 | 1: 4243={:x}+2:2", kHeap + 2, kHeap + 6));
}

TEST(Selection, ByMappingOfAnyDirectory) {
  Selection selection;
  selection.mapping = "sorter"; // /home/user/bin/sorter
  EXPECT_EQ(selected(sample_trace("basic"), selection),
            "0: 0=555555554+4:1 | 1: 0=555555554+3:1 | 2:");
  selection.mapping = "/home/user/bin/sorter";
  EXPECT_EQ(selected(sample_trace("basic"), selection),
            "0: 0=555555554+4:1 | 1: 0=555555554+3:1 | 2:");
  selection.mapping = "orter";
  EXPECT_EQ(selected(sample_trace("basic"), selection), "0: | 1: | 2:");
}

TEST(Selection, FindsAccessesWhoseMappingIsListedLater) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(period_with(0, {{0x10, 3, kR}}));
  writer.write(one_mapping("late", 0x10, 2));
  writer.write(period_with(1, {{0x10, 1, kR}}));
  writer.write(period_with(2, {{0x40, 2, kR}}));
  writer.write(one_mapping("other", 0x40, 2));
  writer.write(End{});
  ScratchDirectory directory;
  const std::string file = directory.write("late", sink.bytes());
  Selection selection;
  selection.mapping = "late";
  const auto trace = open_selected(file, selection, kSampleStartNs);
  EXPECT_EQ(text_of(*trace), "0: 0=10+2:1 | 1: 0=10+1:1 | 2:");
}

TEST(Selection, FindsSitesWhoseMappingIsListedLater) {
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderSites;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(finished_header(header));
  PeriodSites sites;
  sites.add_section(7, std::vector<SiteRun>{{0x10, 3, 0x100, 0}});
  writer.write(sites);
  writer.write(period_with(0, {{0x10, 3, kR}}));
  writer.write(one_mapping("late", 0x10, 2));
  writer.write(End{});
  ScratchDirectory directory;
  Selection selection;
  selection.mapping = "late";
  const auto trace = open_selected(directory.write("late", sink.bytes()),
                                   selection, kSampleStartNs);
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  trace->take_sites(
      [&](std::uint32_t, std::span<const SiteRun> rows, const PeriodTime &) {
        for (const SiteRun &run : rows) {
          first = run.first;
          count += run.count;
        }
      });
  while (trace->next()) {
  }
  EXPECT_EQ(first, 0x10u);
  EXPECT_EQ(count, 2u);
}

TEST(Selection, NamesMappingsOfWhatIsSelected) {
  Selection selection;
  selection.writes = true;
  selection.mapping = "[heap]";
  const Bytes bytes = sample_trace("threads");
  SelectedTrace trace(reader_of(bytes), selection, kSampleStartNs);
  std::string text;
  trace.name_mappings(
      [&](std::size_t name, const GranuleRun &piece, const PeriodTime &period) {
        text += fmt::format("{}:{}+{} ", trace.mapping(name), period.index,
                            std::uint64_t{piece.count});
      });
  while (trace.next()) {
  }
  EXPECT_EQ(text, "[heap]:0+4 [heap]:0+1 [heap]:1+2 ");
}

std::string refusal(const char *sample, const Selection &selection) {
  const Bytes bytes = sample_trace(sample);
  try {
    const SelectedTrace trace(reader_of(bytes), selection, kSampleStartNs);
    return {};
  } catch (const Failure &failure) {
    return failure.what();
  }
}

TEST(Selection, RefusesWhatTheTraceCannotTell) {
  Selection thread;
  thread.tid = 1;
  EXPECT_EQ(refusal("basic", thread),
            "memory: --thread: was recorded as one set for all threads; record "
            "it with: pagetide record --per-thread -- CMD");
  Selection reads;
  reads.reads = true;
  Selection writes;
  writes.writes = true;
  EXPECT_NE(refusal("access", writes).find("does not tell reads from writes"),
            std::string::npos);
  EXPECT_NE(refusal("write", reads).find("layout `write` has no reads"),
            std::string::npos);
  EXPECT_EQ(refusal("write", writes), "");
}

} // namespace
} // namespace pagetide::tools

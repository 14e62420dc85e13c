//===- site_table_test.cpp - Sites in traces ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/site_table.h"

#include "sample_traces.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

#include <map>

namespace pagetide::tools {
namespace {

/// The rows of each period and thread, joined over parts.
using RowsByThread =
    std::map<std::uint64_t, std::map<std::uint32_t, std::vector<SiteRun>>>;

RowsByThread rows_of(const WholeTrace &trace) {
  RowsByThread rows;
  for (const Frame &frame : trace.frames) {
    if (frame.type != trace::FrameType::kPeriodSites)
      continue;
    const PeriodSites &part = frame.period_sites;
    for (const PeriodSites::Section &section : part.sections)
      for (const SiteRun &run : part.runs_of(section))
        rows[part.index][section.tid].push_back(run);
  }
  return rows;
}

PeriodSites many_sites() {
  PeriodSites sites;
  sites.start_ns = kSampleStartNs;
  sites.end_ns = kSampleStartNs + 1;
  for (std::uint32_t tid = 1; tid <= 3; ++tid) {
    std::vector<SiteRun> runs;
    for (std::uint32_t i = 0; i < 100; ++i)
      runs.push_back(
          {std::uint64_t{i} * 5, 1 + i % 5, i % 7, 0x7ffffff0 + tid});
    sites.add_section(tid, runs);
  }
  return sites;
}

Bytes trace_of(const PeriodSites &sites, std::size_t part_bytes) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(sites, part_bytes);
  writer.write(sample_period(sites.index));
  writer.write(End());
  return sink.bytes();
}

TEST(PeriodSites, PartsHoldAllRows) {
  const PeriodSites sites = many_sites();
  std::size_t most_frames = 0;
  for (const std::size_t part_bytes : {1, 100, 2000, 1 << 20}) {
    SCOPED_TRACE(part_bytes);
    const WholeTrace trace = read_all(trace_of(sites, part_bytes));
    ASSERT_EQ(trace.integrity, Integrity::kComplete) << trace.stop_reason;
    const RowsByThread rows = rows_of(trace);
    for (const PeriodSites::Section &section : sites.sections) {
      const auto runs = sites.runs_of(section);
      EXPECT_EQ(rows.at(0).at(section.tid),
                std::vector<SiteRun>(runs.begin(), runs.end()));
    }
    most_frames = std::max(most_frames, trace.frames.size());
  }
  EXPECT_GT(most_frames, 200u);
}

TEST(PeriodSites, ComeBeforeTheirPeriod) {
  PeriodSites sites = many_sites();
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.write(sample_period(0));
  writer.write(sites);
  writer.write(End());
  const WholeTrace trace = read_all(sink.bytes());
  EXPECT_EQ(trace.integrity, Integrity::kDamaged);
  EXPECT_TRUE(rows_of(trace).empty());
}

TEST(PeriodSites, PartsOutOfOrderAreDamage) {
  PeriodSites first = many_sites();
  first.last = false;
  PeriodSites again = first;
  again.first = false;
  again.last = true;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  writer.frame(trace::FrameType::kPeriodSites, encode(first));
  writer.frame(trace::FrameType::kPeriodSites, encode(again));
  writer.write(sample_period(0));
  writer.write(End());
  EXPECT_EQ(read_all(sink.bytes()).integrity, Integrity::kDamaged);
}

SiteTable table_of(const std::string &sample) {
  SiteTable table;
  for (const Frame &frame : read_all(sample_trace(sample)).frames)
    if (frame.type == trace::FrameType::kSiteTable)
      table.add(frame.site_table);
  return table;
}

TEST(SiteTable, FindsPlacesByTheirIds) {
  const SiteTable table = table_of("sites");
  ASSERT_EQ(table.find(0x100).size(), 1u);
  const Site &site = table.find(0x100)[0];
  EXPECT_EQ(site.place,
            (SourcePlace{"_ZN4sort4fillEPj", "/src/sort.cpp", 12, 7}));
  ASSERT_EQ(site.callers.size(), 1u);
  EXPECT_EQ(site.callers[0], (SourcePlace{"main", "/src/main.cpp", 40, 3}));
  EXPECT_EQ(site.kind, trace::kSiteWrites);
  EXPECT_TRUE(table.find(0x500).empty());
  EXPECT_FALSE(table.is_full());
}

TEST(SiteTable, OneIdOfTwoPlacesIsAmbiguous) {
  const SiteTable table = table_of("sites");
  EXPECT_EQ(table.find(0x300).size(), 2u);
  EXPECT_EQ(site_text(table, 0x300),
            "main at /src/main.cpp:50:9 or main at /src/main.cpp:60:2");
}

TEST(SiteTable, OnePlaceOfSeveralTablesIsNot) {
  const SiteTable table = table_of("sites");
  ASSERT_EQ(table.find(0x200).size(), 1u);
  // It reads in one table and writes in the other.
  EXPECT_EQ(table.find(0x200)[0].kind, trace::kSiteReads | trace::kSiteWrites);
}

TEST(SiteTable, TextsSayWhatIsKnown) {
  const SiteTable table = table_of("sites");
  EXPECT_EQ(site_text(table, 0x100),
            "sort::fill(unsigned int*) at /src/sort.cpp:12:7, inlined in main "
            "at /src/main.cpp:40:3");
  EXPECT_EQ(site_text(table, 0x200), "plain");
  EXPECT_EQ(site_text(table, 0x400), "a call of libc at /lib/libz.so.1+0x1234");
  EXPECT_EQ(site_text(table, 0x500), "unknown site 0x500");
}

TEST(SiteTable, IsBounded) {
  SiteTable table;
  SiteTablePart part;
  part.strings = {"f", ""};
  for (std::uint32_t id = 1; id <= SiteTable::kMaxSites + 10; ++id)
    part.sites.push_back({id, trace::kSiteReads, {0, 1, 0, 0}, 0, 0});
  table.add(part);
  EXPECT_TRUE(table.is_full());
  EXPECT_EQ(table.size(), SiteTable::kMaxSites);
}

TEST(SiteTable, KeepsTextsThatTheFrameLoses) {
  SiteTable table;
  {
    SiteTablePart part;
    part.strings = {std::string(100, 'f'), ""};
    part.sites = {{7, trace::kSiteReads, {0, 1, 0, 0}, 0, 0}};
    table.add(part);
  }
  const SiteTable moved = std::move(table);
  EXPECT_EQ(site_text(moved, 7), std::string(100, 'f'));
}

} // namespace
} // namespace pagetide::tools

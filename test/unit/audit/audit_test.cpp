//===- audit_test.cpp - Comparing the kernel's account with the marks -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "audit/audit_report.h"
#include "audit/comparison.h"
#include "sample_traces.h"
#include "short_names.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace pagetide::tools {
namespace {

constexpr const char kProgram[] = "/prog";
constexpr const char kPlain[] = "/lib/libplain.so.1";

ModuleFile look_up(const std::string &path) {
  ModuleFile file;
  file.is_elf = path != "/data";
  file.instrumented = path == kProgram;
  file.relro_begin = 0x4000;
  file.relro_end = 0x5000;
  file.variables = [](std::uint64_t begin, std::uint64_t) {
    return begin == 0x6000 ? std::vector<std::string>{"counter"}
                           : std::vector<std::string>{};
  };
  return file;
}

/// Builds a trace of what a test is about.
class Maker {
public:
  explicit Maker(trace::FileHeader header = no_checksums()) {
    writer_.header(header);
    writer_.write(Process{kProgram, {"prog"}, "", "marks", "1"});
    writer_.write(Mappings{
        0,
        {{0x100000, 0x4000, 5, 0, kProgram},
         {0x104000, 0x3000, 3, 0x4000, kProgram},
         {0x107000, 0x1000, 3 | trace::kMappingBss, 0, kProgram},
         {0x200000, 0x8000, 3, 0, "[heap]"},
         {0x300000, 0x4000, 5, 0, kPlain},
         {0x304000, 0x4000, 3, 0x4000, kPlain},
         {0x400000, 0x4000, 5, 0, "/lib/x86_64-linux-gnu/libc.so.6"},
         {0x404000, 0x4000, 3, 0x4000, "/lib/x86_64-linux-gnu/libc.so.6"},
         {0x500000, 0x8000, 3 | trace::kMappingShared, 0, "/data"},
         {0x600000, 0x8000, 3, 0, ""},
         {0x700000, 0x8000, 3, 0, "[stack]"}}});
  }
  static trace::FileHeader no_checksums() {
    trace::FileHeader header = sample_header();
    header.checksum_mode = trace::ChecksumMode::kNone;
    return header;
  }
  Maker &seen(std::uint64_t index, const std::vector<GranuleRun> &runs,
              bool exiting = false) {
    writer_.write(KernelWrites{index, true, exiting, 0, runs});
    return *this;
  }
  Maker &period(std::uint64_t index, const std::vector<GranuleRun> &runs) {
    PeriodPart part = sample_period(index);
    if (!runs.empty())
      part.add_section(0, runs);
    writer_.write(part);
    return *this;
  }
  TraceWriter &operator*() { return writer_; }
  Audit audit() {
    writer_.write(End{kSampleStartNs, trace::EndReason::kExit, 0});
    const Bytes bytes = sink_.bytes();
    Audit audit = audit_trace(reader_of(bytes), look_up);
    EXPECT_EQ(audit.completeness.integrity(), Integrity::kComplete);
    return audit;
  }

private:
  MemorySink sink_;
  TraceWriter writer_{sink_, Compression::kNone};
};

constexpr auto kSeen = trace::kKernelWritten;

/// "address:periods ..." of the uncovered pages of a kind.
std::string uncovered(const Audit &audit, PageKind kind) {
  std::string text;
  for (const AuditGroup &group : audit.groups)
    if (group.kind == kind)
      for (const UncoveredPage &page : group.pages) {
        char buffer[64];
        std::snprintf(buffer, sizeof(buffer), "%s%llx:%llu",
                      text.empty() ? "" : " ",
                      static_cast<unsigned long long>(page.address),
                      static_cast<unsigned long long>(page.periods));
        text += buffer;
      }
  return text;
}

TEST(Audit, MarkedPagesAreCovered) {
  const Audit audit =
      Maker().seen(0, {{0x200, 4, kSeen}}).period(0, {{0x200, 4, kW}}).audit();
  EXPECT_EQ(audit.written, 4u);
  EXPECT_EQ(audit.covered, 4u);
  EXPECT_TRUE(audit.program_is_covered());
  EXPECT_EQ(audit.marked_only, 0u);
}

TEST(Audit, AMarkOfTheNextOrPreviousPeriodCovers) {
  const Audit audit = Maker()
                          .seen(0, {{0x200, 1, kSeen}})
                          .period(0, {{0x201, 1, kW}})
                          .seen(1, {{0x201, 1, kSeen}})
                          .period(1, {{0x200, 1, kW}})
                          .audit();
  EXPECT_EQ(audit.uncovered(), 0u);
}

TEST(Audit, AMarkTwoPeriodsAwayDoesNot) {
  const Audit audit = Maker()
                          .seen(0, {{0x200, 1, kSeen}})
                          .period(0, {})
                          .seen(1, {})
                          .period(1, {})
                          .seen(2, {{0x201, 1, kSeen}})
                          .period(2, {{0x200, 1, kW}})
                          .audit();
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "200000:1 201000:1");
  EXPECT_EQ(audit.marked_only, 1u);
}

/// Pages that the kernel saw written, by mapping.
std::map<std::string, std::uint64_t> written_by_name(const Audit &audit) {
  std::map<std::string, std::uint64_t> written;
  for (const AuditGroup &group : audit.groups)
    written[group.name] += group.written;
  return written;
}

TEST(Audit, DamageMakesNoPageUncovered) {
  // Each page is marked a period after the kernel saw it. Half way, another
  // file is mapped where the heap was.
  constexpr std::uint64_t kPeriods = 7;
  MemorySink sink;
  TraceWriter writer(sink, Compression::kNone);
  writer.header(Maker::no_checksums());
  for (std::uint64_t i = 0; i < kPeriods; ++i) {
    if (i % 4 == 0) {
      writer.write(Mappings{
          0, {{0x200000, 0x8000, 3, 0, i == 0 ? "[heap]" : "/home/data"}}});
      writer.write(Regions{
          0, {{trace::RegionKind::kThreadStack, 0x300000, 0x1000, 1, ""}}});
    }
    if (i + 1 < kPeriods)
      writer.write(KernelWrites{i, true, false, 0, {{0x200 + i, 1, kSeen}}});
    PeriodPart period = sample_period(i);
    if (i > 0)
      period.add_section(0, std::vector<GranuleRun>{{0x200 + i - 1, 1, kW}});
    writer.write(period);
  }
  writer.write(End{});
  const Bytes sound = sink.bytes();
  const Audit right = audit_trace(reader_of(sound), look_up);
  EXPECT_EQ(right.written, kPeriods - 1);
  EXPECT_EQ(right.uncovered(), 0u);
  const auto right_names = written_by_name(right);
  std::uint64_t compared = 0;
  for (std::size_t at = sizeof(trace::FileHeader); at < sound.size(); ++at) {
    SCOPED_TRACE(testing::Message() << "byte " << at);
    Bytes damaged = sound;
    damaged[at] ^= 0x40;
    const Audit audit = audit_trace(reader_of(damaged), look_up);
    EXPECT_EQ(audit.uncovered(), 0u);
    EXPECT_FALSE(audit.completeness.is_complete());
    for (const auto &[name, written] : written_by_name(audit))
      EXPECT_LE(written, right_names.at(name)) << name;
    compared = std::max(compared, audit.compared);
  }
  EXPECT_GE(compared, kPeriods - 3); // it does not give up at once
}

TEST(Audit, PeriodsBesideMissingOnesAreNotCompared) {
  // The marks of pages 201 and 205 may be in periods 2 and 4.
  const Audit audit = Maker()
                          .seen(0, {{0x200, 1, kSeen}})
                          .period(0, {})
                          .seen(1, {{0x201, 1, kSeen}})
                          .period(1, {})
                          .seen(5, {{0x205, 1, kSeen}})
                          .period(5, {})
                          .seen(6, {{0x206, 1, kSeen}})
                          .period(6, {})
                          .audit();
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "200000:1 206000:1");
  EXPECT_EQ(audit.compared, 2u);
  EXPECT_EQ(audit.periods, 4u);
}

TEST(Audit, ReadsDoNotCoverButCarriedAndPossibleWritesDo) {
  const Audit audit =
      Maker()
          .seen(0, {{0x200, 4, kSeen}})
          .period(0, {{0x200, 1, trace::kRunRead},
                      {0x201, 1, trace::kRunCarried},
                      {0x202, 1, trace::kRunMayWritten},
                      {0x203, 1, trace::kRunRead | trace::kRunMayRead}})
          .audit();
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "200000:1 203000:1");
}

TEST(Audit, UnderLayoutAccessAnyAccessCovers) {
  trace::FileHeader header = Maker::no_checksums();
  header.layout = static_cast<std::uint32_t>(abi::Layout::kAccess);
  const Audit audit = Maker(header)
                          .seen(0, {{0x200, 2, kSeen}})
                          .period(0, {{0x200, 1, trace::kRunAccessed}})
                          .audit();
  EXPECT_FALSE(audit.tells_writes);
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "201000:1");
}

TEST(Audit, GranulesAreComparedAsPages) {
  trace::FileHeader header = Maker::no_checksums();
  header.cell_shift = header.granule_shift = 6;
  const Audit fine = Maker(header)
                         .seen(0, {{0x200, 3, kSeen}})
                         // The last 64 bytes of one page, the first of another.
                         .period(0, {{0x200 * 64 + 63, 2, kW}})
                         .audit();
  EXPECT_EQ(uncovered(fine, PageKind::kHeap), "202000:1");
  header.cell_shift = header.granule_shift = 14;
  const Audit coarse = Maker(header)
                           .seen(0, {{0x200, 8, kSeen}})
                           .period(0, {{0x80, 1, kW}})
                           .audit();
  EXPECT_EQ(uncovered(coarse, PageKind::kHeap),
            "204000:1 205000:1 206000:1 207000:1");
}

TEST(Audit, EachMappingHasItsKind) {
  Maker maker;
  (*maker).write(
      Regions{0,
              {{trace::RegionKind::kThreadStack, 0x601000, 0x1000, 7, ""},
               {trace::RegionKind::kThreadLocal, 0x603000, 0x1000, 7, ""},
               {trace::RegionKind::kUnseen, 0x500000, 0x8000, 0, "a device"}}});
  const Audit audit = maker
                          .seen(0, {{0x104, 1, kSeen},
                                    {0x106, 2, kSeen},
                                    {0x306, 1, kSeen},
                                    {0x405, 1, kSeen},
                                    {0x500, 1, trace::kKernelTouched},
                                    {0x501, 1, kSeen},
                                    {0x600, 4, kSeen},
                                    {0x700, 1, kSeen}})
                          .period(0, {})
                          .audit();
  EXPECT_EQ(uncovered(audit, PageKind::kLoader), "104000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kProgram), "106000:1 107000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kPlain), "306000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kSystem), "405000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kShared), "501000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kAnonymous), "600000:1 602000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kThreadStack), "601000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kThreadLocal), "603000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kMainStack), "700000:1");
  EXPECT_EQ(audit.touched, 1u);
  EXPECT_EQ(audit.uncovered_by[static_cast<int>(Concern::kStacks)], 3u);
  EXPECT_EQ(audit.uncovered_by[static_cast<int>(Concern::kSystem)], 2u);
  EXPECT_EQ(audit.uncovered_by[static_cast<int>(Concern::kProgram)], 6u);
  ASSERT_EQ(audit.unseen.size(), 1u);
  EXPECT_EQ(audit.unseen[0].text, "a device");
  ASSERT_EQ(audit.modules.size(), 3u);
}

TEST(Audit, WhatACallIsWritingWaitsForItsReturn) {
  Maker maker;
  const auto in_flight = [&](std::uint64_t start, std::uint64_t bytes) {
    std::vector<Region> regions;
    if (bytes != 0)
      regions.push_back({trace::RegionKind::kInFlight, start, bytes, 7, ""});
    (*maker).write(Regions{0, regions});
  };
  in_flight(0x200800, 0x2000);
  maker.seen(0, {{0x200, 4, kSeen}}).period(0, {{0x203, 1, kW}});
  in_flight(0x200800, 0x2000);
  maker.seen(1, {}).period(1, {});
  maker.seen(2, {}).period(2, {});
  in_flight(0, 0);
  maker.seen(3, {}).period(3, {{0x200, 2, kW}});
  maker.seen(4, {}).period(4, {});
  const Audit audit = maker.audit();
  EXPECT_EQ(audit.written, 4u);
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "202000:1");
}

TEST(Audit, TheLoadersAccountOfAFileIsItsOwn) {
  Maker maker;
  (*maker).write(Regions{
      0,
      {{trace::RegionKind::kLoader, 0x600f00, 0x480, 0, ""},
       {trace::RegionKind::kLoader, 0x200100, 0x480, 0, ""}}}); // in the heap
  const Audit audit =
      maker.seen(0, {{0x200, 1, kSeen}, {0x600, 3, kSeen}}, true)
          .period(0, {})
          .audit();
  EXPECT_EQ(uncovered(audit, PageKind::kSystem), "600000:1 601000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kAnonymous), "602000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "200000:1");
}

TEST(Audit, AVariableIsNamed) {
  const Audit audit =
      Maker().seen(0, {{0x106, 1, kSeen}}).period(0, {}).audit();
  ASSERT_EQ(audit.groups.size(), 1u);
  ASSERT_EQ(audit.groups[0].pages.size(), 1u);
  EXPECT_EQ(audit.groups[0].pages[0].linked, 0x6000u);
  EXPECT_EQ(audit.groups[0].pages[0].variables,
            std::vector<std::string>{"counter"});
  EXPECT_NE(audit_text(audit, "title", AuditStyle()).find("holds counter"),
            std::string::npos);
}

TEST(Audit, WhatDestructorsWriteStandsApart) {
  const Audit audit = Maker()
                          .seen(0, {{0x106, 1, kSeen}})
                          .period(0, {})
                          .seen(1, {{0x107, 1, kSeen}}, true)
                          .period(1, {})
                          .audit();
  EXPECT_EQ(uncovered(audit, PageKind::kProgram), "106000:1");
  EXPECT_EQ(uncovered(audit, PageKind::kExiting), "107000:1");
}

TEST(Audit, PeriodsWithoutTheKernelsAccountAreNotCompared) {
  const Audit audit = Maker()
                          .seen(0, {{0x200, 1, kSeen}})
                          .period(0, {{0x200, 1, kW}})
                          .period(1, {{0x201, 1, kW}})
                          .audit();
  EXPECT_EQ(audit.periods, 2u);
  EXPECT_EQ(audit.compared, 1u);
}

TEST(Audit, SumsAddUpAndKnowOneFilesPages) {
  const auto one = [](std::uint64_t page) {
    return Maker().seen(0, {{page, 1, kSeen}}).period(0, {}).audit();
  };
  Audit sum = one(0x106);
  add_audit(sum, one(0x106));
  add_audit(sum, one(0x107));
  EXPECT_EQ(sum.written, 3u);
  EXPECT_EQ(sum.covered, 0u);
  EXPECT_EQ(sum.uncovered_by[static_cast<int>(Concern::kProgram)], 3u);
  ASSERT_EQ(sum.groups.size(), 1u);
  EXPECT_EQ(sum.groups[0].distinct, 2u);
  EXPECT_EQ(sum.groups[0].pages[0].periods, 2u);
}

TEST(Audit, TheSampleIsComparedAsItSays) {
  const Bytes bytes = sample_trace("audited");
  const Audit audit = audit_trace(reader_of(bytes), look_up);
  EXPECT_EQ(audit.periods, 3u);
  EXPECT_EQ(audit.compared, 2u);
  EXPECT_EQ(audit.written, 9u);
  EXPECT_EQ(audit.touched, 1u);
  // The heap's granules 0 to 2: the third in the period after.
  EXPECT_EQ(audit.covered, 4u);
  EXPECT_EQ(uncovered(audit, PageKind::kHeap), "555555603000:1");
  EXPECT_EQ(audit.marked_only, 1u);
}

//===----------------------------------------------------------------------===//
// What the reader refuses
//===----------------------------------------------------------------------===//

Integrity integrity_of(const std::vector<KernelWrites> &parts,
                       bool period_first = false) {
  MemorySink sink;
  TraceWriter writer(sink, Compression::kNone);
  writer.header(Maker::no_checksums());
  if (period_first)
    writer.write(sample_period(0));
  for (const KernelWrites &part : parts)
    writer.write(part);
  writer.write(sample_period(period_first ? 1 : 0));
  writer.write(End{0, trace::EndReason::kExit, 0});
  return read_all(sink.bytes()).integrity;
}

TEST(KernelWritesFrames, PartsRiseAndComeBeforeTheirPeriod) {
  const GranuleRun low = {1, 1, kSeen}, high = {5, 2, kSeen};
  EXPECT_EQ(
      integrity_of({{0, false, false, 0, {low}}, {0, true, false, 0, {high}}}),
      Integrity::kComplete);
  EXPECT_EQ(
      integrity_of({{0, false, false, 0, {high}}, {0, true, false, 0, {low}}}),
      Integrity::kDamaged);
  EXPECT_EQ(
      integrity_of({{0, false, false, 0, {low}}, {1, true, false, 0, {high}}}),
      Integrity::kDamaged);
  EXPECT_EQ(
      integrity_of({{0, true, false, 0, {low}}, {0, true, false, 0, {high}}}),
      Integrity::kDamaged);
  EXPECT_EQ(integrity_of({{0, true, false, 0, {low}}}, true),
            Integrity::kDamaged);
  EXPECT_EQ(integrity_of({{0, true, false, 0, {{1ull << 35, 1, kSeen}}}}),
            Integrity::kDamaged);
}

} // namespace
} // namespace pagetide::tools

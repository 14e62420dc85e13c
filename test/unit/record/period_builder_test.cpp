//===- period_builder_test.cpp - Cells of every layout become runs --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/period_builder.h"

#include "trace_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace pagetide::tools {
namespace {

using shadow_file::ChunkKind;

constexpr std::uint64_t kLimit = std::uint64_t{1} << abi::kAddressBits;

std::map<std::uint32_t, std::string> build(PeriodBuilder &builder) {
  PeriodPart period;
  builder.build(period);
  std::map<std::uint32_t, std::string> sections;
  for (const PeriodPart::Section &section : period.sections) {
    const auto runs = period.runs_of(section);
    sections[section.tid] = text_of({runs.begin(), runs.end()});
  }
  return sections;
}

std::string build_one(const Geometry &geometry,
                      std::vector<shadow_file::StagedWord> words,
                      ChunkKind kind = ChunkKind::kMarks) {
  PeriodBuilder builder(geometry);
  for (const auto &word : words)
    builder.add_word(0, kind, word);
  return build(builder)[0];
}

TEST(PeriodBuilder, LayoutRwHasFourGranulesAWord) {
  const Geometry rw = {abi::Layout::kRw, 12, 12};
  EXPECT_EQ(build_one(rw, {{0, 0x01}}), "0+1:1");
  EXPECT_EQ(build_one(rw, {{0, 0x0100}}), "0+1:2");
  EXPECT_EQ(build_one(rw, {{0, 0x0101}}), "0+1:3");
  EXPECT_EQ(build_one(rw, {{5, 0x0100000000000001}}), "14+1:1 17+1:2");
  // Neighbours in different words are joined.
  EXPECT_EQ(build_one(rw, {{6, 0x0101}, {5, 0x0101000000000000}}), "17+2:3");
}

TEST(PeriodBuilder, OtherLayoutsHaveEight) {
  EXPECT_EQ(
      build_one({abi::Layout::kAccess, 12, 12}, {{1, 0x0101010101010101}}),
      "8+8:4");
  EXPECT_EQ(build_one({abi::Layout::kWrite, 12, 12}, {{1, 0x0001000000000100}}),
            "9+1:2 e+1:2");
}

TEST(PeriodBuilder, StagedWordsHaveOneCellAGranuleWhateverTheShadowHas) {
  const Geometry near = {abi::Layout::kAccess, 8, 12};
  EXPECT_EQ(build_one(near, {{0, 0x01}, {1, 0x0100}}), "0+1:4 9+1:4");
  const Geometry rw = {abi::Layout::kRw, 8, 12};
  EXPECT_EQ(build_one(rw, {{4, 0x01}, {4, 0x0100}}), "10+1:3");
}

TEST(PeriodBuilder, MayGivesWayToCertain) {
  const Geometry rw = {abi::Layout::kRw, 12, 12};
  EXPECT_EQ(build_one(rw, {{0, 0x0202}}), "0+1:30");
  EXPECT_EQ(build_one(rw, {{0, 0x0202}, {0, 0x0001}}), "0+1:21");
  EXPECT_EQ(build_one(rw, {{0, 0x0101}, {0, 0x0202}}), "0+1:3");
  // Or-ed together by the runtime.
  EXPECT_EQ(build_one(rw, {{0, 0x0303}}), "0+1:3");
  EXPECT_EQ(build_one({abi::Layout::kAccess, 12, 12}, {{0, 0x02}}), "0+1:30");
  EXPECT_EQ(build_one({abi::Layout::kAccess, 12, 12}, {{0, 0x02}, {0, 0x01}}),
            "0+1:4");
}

TEST(PeriodBuilder, UnknownCellsClaimNothingForCertain) {
  EXPECT_EQ(build_one({abi::Layout::kRw, 12, 12}, {{0, 0xfe72}}), "0+1:30");
}

TEST(PeriodBuilder, OnlyWritesAreCarried) {
  const Geometry rw = {abi::Layout::kRw, 12, 12};
  EXPECT_EQ(build_one(rw, {{0, 0x0101}}, ChunkKind::kCarried), "0+1:8");
  EXPECT_EQ(build_one(rw, {{0, 0x0001}}, ChunkKind::kCarried), "");
}

TEST(PeriodBuilder, CarriedGivesWayToWritten) {
  PeriodBuilder builder({abi::Layout::kRw, 12, 12});
  builder.add_word(9, ChunkKind::kCarried, {0, 0x0100'0100'0100});
  builder.add_word(9, ChunkKind::kMarks, {0, 0x0001'0000'0100});
  // Granule 0 written now, 1 carried, 2 read now and carried.
  EXPECT_EQ(build(builder)[9], "0+1:2 1+1:8 2+1:9");
  PeriodBuilder access({abi::Layout::kAccess, 12, 12});
  access.add_word(9, ChunkKind::kCarried, {0, 0x0101});
  access.add_word(9, ChunkKind::kMarks, {0, 0x01});
  EXPECT_EQ(build(access)[9], "0+1:4 1+1:8");
}

TEST(PeriodBuilder, ThreadsStayApart) {
  PeriodBuilder builder({abi::Layout::kRw, 12, 12});
  builder.add_word(20, ChunkKind::kMarks, {0, 0x01});
  builder.add_word(3, ChunkKind::kMarks, {1, 0x01});
  builder.add_word(20, ChunkKind::kMarks, {1, 0x01});
  const auto sections = build(builder);
  EXPECT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections.at(3), "4+1:1");
  EXPECT_EQ(sections.at(20), "0+1:1 4+1:1");
  EXPECT_TRUE(build(builder).empty()) << "building empties the builder";
}

TEST(PeriodBuilder, MaybeWrittenRangesCoverTheirGranules) {
  PeriodBuilder builder({abi::Layout::kRw, 12, 12});
  builder.add_maybe_written(1, 0x1fff, 2);
  builder.add_maybe_written(1, 0x5000, 0x1000);
  builder.add_maybe_written(1, 0x5800, 0x1000);
  builder.add_maybe_written(1, 0x9000, 0);
  builder.add_word(1, ChunkKind::kMarks, {1, 0x0100'0000}); // writes 5
  EXPECT_EQ(build(builder)[1], "1+2:20 5+1:2 6+1:20");
}

TEST(PeriodBuilder, RangesEndWithTheAddressSpace) {
  PeriodBuilder builder({abi::Layout::kAccess, 12, 12});
  builder.add_maybe_written(1, kLimit - 1, UINT64_MAX);
  builder.add_maybe_written(1, kLimit, 1);
  builder.add_maybe_written(1, UINT64_MAX, UINT64_MAX);
  EXPECT_EQ(build(builder)[1], "7ffffffff+1:30");
  builder.add_maybe_written(2, 0, UINT64_MAX);
  EXPECT_EQ(build(builder)[2], "0+800000000:30");
}

TEST(PeriodBuilder, AUnitHasSitesOfItsGranules) {
  const auto sites_of = [](const Geometry &geometry,
                           std::vector<shadow_file::StagedWord> words) {
    PeriodBuilder builder(geometry);
    for (const auto &word : words)
      builder.add_sites(7, word);
    PeriodSites sites;
    builder.build(sites);
    std::string text;
    for (const SiteRun &run : sites.runs)
      text += fmt::format("{}+{}:{},{} ", run.first, run.count, run.read,
                          run.write);
    return text;
  };
  constexpr std::uint64_t kWrite = std::uint64_t{1} << 32;
  const std::uint64_t may = abi::kSiteMay;
  // One read granule 2, another wrote 3; of 4 and 5 the certain one counts.
  const std::vector<shadow_file::StagedWord> rw = {
      {2, 5}, {3, 9 * kWrite}, {4, may | 3}, {5, 8}, {6, 8}, {9, 4}};
  EXPECT_EQ(sites_of({abi::Layout::kRw, 12, 12}, rw),
            fmt::format("2+1:5,0 3+1:0,9 4+1:{},0 5+2:8,0 9+1:4,0 ", may | 3));
  EXPECT_EQ(sites_of({abi::Layout::kRw, 12, 13}, rw),
            "1+1:5,9 2+2:8,0 4+1:4,0 ");
  // Two granules a word.
  EXPECT_EQ(sites_of({abi::Layout::kAccess, 12, 14},
                     {{1, 6 * kWrite}, {2, 7}, {5, 7}, {6, 3}}),
            "0+1:6,0 1+2:7,0 3+1:3,0 ");
}

TEST(PeriodBuilder, WordsBeyondTheShadowAreIgnored) {
  const Geometry rw = {abi::Layout::kRw, 12, 12};
  const std::uint64_t words = abi::shadow_bytes(rw.layout, 12) / 8;
  EXPECT_EQ(build_one(rw, {{words, 0x01}, {UINT64_MAX, 0x01}}), "");
  EXPECT_EQ(build_one(rw, {{words - 1, std::uint64_t{1} << 56}}),
            "7ffffffff+1:2");
}

} // namespace
} // namespace pagetide::tools

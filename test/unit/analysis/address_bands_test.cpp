//===- address_bands_test.cpp - An axis without empty space ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/address_bands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

std::string name_of(std::size_t number) {
  return std::string(1, static_cast<char>('a' + number));
}

/// "first-end label(+others)@position" of each.
std::string text_of(const AddressBands &bands) {
  std::string text;
  for (const AddressBand &band : bands.list())
    text += fmt::format(
        "{}{}-{} {}{}@{}", text.empty() ? "" : " | ", band.first, band.end,
        band.label,
        band.more_labels == 0 ? "" : fmt::format("+{}", band.more_labels),
        band.position);
  return text;
}

std::string text_of(const UsedRanges &ranges, std::size_t max_bands = 100) {
  return text_of(ranges.bands(max_bands, name_of));
}

TEST(AddressBands, NothingUsed) {
  const AddressBands bands = UsedRanges().bands(10, name_of);
  EXPECT_TRUE(bands.list().empty());
  EXPECT_EQ(bands.length(), 0u);
}

TEST(AddressBands, FoldsLongHolesAndKeepsShortOnes) {
  UsedRanges ranges;
  ranges.add(0, 1000, 1100);
  ranges.add(0, 1101, 1200);
  ranges.add(0, 50000, 50001);
  EXPECT_EQ(text_of(ranges), "1000-1200 a@0 | 50000-50001 a@200");
}

TEST(AddressBands, MappingsOfOtherNamesAreOtherBands) {
  UsedRanges ranges;
  ranges.add(1, 100, 110);
  ranges.add(0, 90, 100);
  ranges.add(1, 110, 120);
  EXPECT_EQ(text_of(ranges), "90-100 a@0 | 100-120 b@10");
}

TEST(AddressBands, GranulesKeepTheirFirstName) {
  UsedRanges ranges;
  ranges.add(0, 10, 20);
  ranges.add(0, 30, 40);
  ranges.add(1, 0, 50);
  EXPECT_EQ(text_of(ranges),
            "0-10 b@0 | 10-20 a@10 | 20-30 b@20 | 30-40 a@30 | 40-50 b@40");
}

TEST(AddressBands, OfTooManyTheLongestHolesStayFolded) {
  UsedRanges ranges;
  ranges.add(0, 0, 10);
  ranges.add(1, 12, 15);
  ranges.add(2, 15, 16);
  ranges.add(1, 1000, 1001);
  ranges.add(0, 1 << 20, (1 << 20) + 4);
  EXPECT_EQ(text_of(ranges, 3),
            "0-16 a+2@0 | 1000-1001 b@16 | 1048576-1048580 a@17");
  EXPECT_EQ(text_of(ranges, 1), "0-1048580 a+2@0");
}

TEST(AddressBands, AHoleThatWouldTakeMuchOfTheAxisGetsAnExtraBand) {
  UsedRanges ranges;
  ranges.add(0, 0, 10);
  ranges.add(0, 1 << 20, (1 << 20) + 10); // far away
  ranges.add(0, 1'050'000, 1'050'010);    // a few thousand further
  ranges.add(0, 1'050'020, 1'050'030);    // near
  const auto text = [&](std::size_t max, std::size_t extra) {
    return text_of(ranges.bands(max, name_of, extra));
  };
  EXPECT_EQ(text(2, 0), "0-10 a@0 | 1048576-1050030 a@10");
  EXPECT_EQ(text(2, 1),
            "0-10 a@0 | 1048576-1048586 a@10 | 1050000-1050030 a@20");
  // The next hole is a quarter of the axis, and there is one band more.
  EXPECT_EQ(text(2, 9), "0-10 a@0 | 1048576-1048586 a@10 | "
                        "1050000-1050010 a@20 | 1050020-1050030 a@30");
  EXPECT_EQ(text(1, 0), "0-1050030 a@0");
}

TEST(AddressBands, PiecesOfARunThatSpansBands) {
  const AddressBands bands({{.first = 100, .end = 110, .label = "a"},
                            {.first = 200, .end = 201, .label = "b"},
                            {.first = 300, .end = 350, .label = "c"}});
  ASSERT_EQ(bands.length(), 61u);
  std::string text;
  bands.each_piece(105, 310, [&](std::uint64_t position, std::uint64_t count) {
    text += fmt::format("{}+{} ", position, count);
  });
  EXPECT_EQ(text, "5+5 10+1 11+10 ");
  text.clear();
  bands.each_piece(350, UINT64_MAX,
                   [&](std::uint64_t, std::uint64_t) { text += "outside"; });
  EXPECT_EQ(text, "");
}

TEST(UsedRanges, OrderDoesNotMatter) {
  UsedRanges up;
  UsedRanges down;
  for (std::uint64_t i = 0; i < 200; ++i) {
    up.add(0, i * 5, i * 5 + 3);
    down.add(0, (199 - i) * 5, (199 - i) * 5 + 3);
  }
  EXPECT_EQ(text_of(up), text_of(down));
  EXPECT_EQ(text_of(up), "0-998 a@0");
}

TEST(UsedRanges, BoundedWhateverComes) {
  UsedRanges ranges(64);
  // Names alternate, so that neighbours are hard to join.
  for (std::uint64_t i = 0; i < 10000; ++i)
    ranges.add(i % 2, i * i, i * i + 1);
  ranges.add(0, std::uint64_t{1} << 38, (std::uint64_t{1} << 38) + 1);
  const AddressBands bands = ranges.bands(SIZE_MAX, name_of);
  EXPECT_LE(bands.list().size(), 64u);
  EXPECT_LT(bands.length(), 110'000'000u) << "the long hole is folded";
  for (std::uint64_t i = 0; i < 10000; ++i) {
    std::uint64_t found = 0;
    bands.each_piece(i * i, i * i + 1,
                     [&](std::uint64_t, std::uint64_t n) { found += n; });
    EXPECT_EQ(found, 1u) << i;
  }
}

TEST(UsedRanges, CloseOnesAreJoinedFirst) {
  UsedRanges ranges(16);
  for (std::uint64_t i = 0; i < 100; ++i)
    ranges.add(0, i * 3, i * 3 + 1);
  ranges.add(0, 1 << 30, (1 << 30) + 1);
  EXPECT_EQ(text_of(ranges), "0-298 a@0 | 1073741824-1073741825 a@298");
}

TEST(UsedRanges, TheEndOfTheAddressSpace) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 41;
  UsedRanges ranges;
  ranges.add(0, 0, kLimit);
  ranges.add(1, kLimit - 1, kLimit);
  EXPECT_EQ(text_of(ranges), fmt::format("0-{} a@0", kLimit));
}

} // namespace
} // namespace pagetide::tools

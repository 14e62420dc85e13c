//===- view_grid_test.cpp - Counts of accesses by time and address --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/view_grid.h"

#include "pagetide/trace_format.h"
#include "short_names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

AddressBand band_at(std::uint64_t first, std::uint64_t length) {
  AddressBand band;
  band.first = first;
  band.end = first + length;
  return band;
}

/// Bands of these lengths, far from one another.
AddressBands bands_of(const std::vector<std::uint64_t> &lengths) {
  std::vector<AddressBand> bands;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    bands.push_back(band_at((i + 1) << 34, lengths[i]));
  return AddressBands(bands);
}

std::uint64_t first_of(std::size_t band) { return (band + 1) << 34; }

/// Cells as two hexadecimal digits, writes before reads; a line per row.
std::string picture(const ViewGrid &grid) {
  constexpr const char kDigits[] = "0123456789abcdef";
  std::string text;
  const std::vector<std::uint8_t> levels = grid.levels();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    text += kDigits[levels[i] >> 4];
    text += kDigits[levels[i] & 15];
    text += (i + 1) % grid.bins() == 0 ? "\n" : " ";
  }
  return text;
}

TEST(ViewGrid, EveryPageInEveryPeriodIfThereIsRoom) {
  const AddressBands bands = bands_of({2, 1});
  const GridShape shape = shape_for(3, bands, 9);
  EXPECT_EQ(shape.periods_per_bin, 1u);
  EXPECT_EQ(shape.granules_per_row, 1u);
  ViewGrid grid(shape, 3, bands);
  grid.add(0, {first_of(0), 1, kR});
  grid.add(1, {first_of(0), 2, kW});
  grid.add(2, {first_of(1), 1, kR | kW});
  EXPECT_EQ(picture(grid), "0f f0 00\n"
                           "00 f0 00\n"
                           "00 00 ff\n");
}

TEST(ViewGrid, AFinerGridAddsUpToTheCoarserOne) {
  const AddressBands bands = bands_of({37, 3, 150});
  constexpr std::uint64_t kPeriods = 45;
  for (const GridShape &fine : {GridShape{1, 1}, GridShape{2, 4}})
    for (const GridShape &coarse :
         {GridShape{2, 4}, GridShape{2, 16}, GridShape{8, 4}}) {
      ViewGrid direct(coarse, kPeriods, bands);
      ViewGrid finer(fine, kPeriods, bands);
      for (std::uint64_t i = 0; i < 400; ++i) {
        const std::size_t band = i % 3;
        const std::uint64_t at = i * 7 % (band == 0 ? 30 : band == 1 ? 2 : 140);
        const unsigned flags = i % 4 == 0 ? kR | kW : i % 2 == 0 ? kR : kW;
        const GranuleRun run = {first_of(band) + at, 1 + i % 5,
                                static_cast<std::uint8_t>(flags)};
        for (ViewGrid *grid : {&direct, &finer})
          grid->add(i % kPeriods, run);
      }
      ViewGrid sum(coarse, kPeriods, bands);
      sum.add(finer);
      EXPECT_EQ(picture(sum), picture(direct));
    }
}

TEST(ViewGrid, TheShapeFitsIntoTheCells) {
  for (const std::uint64_t periods : {1u, 7u, 1000u, 60'000u, 10'000'000u})
    for (const std::uint64_t pages : {1ull, 500ull, 1'000'000ull, 1ull << 40})
      for (const std::size_t cells : {4096u, 1u << 20, 16u << 20}) {
        const AddressBands bands = bands_of({pages, 3, 64, 1});
        const GridShape shape = shape_for(periods, bands, cells);
        const ViewGrid grid(shape, periods, bands);
        EXPECT_LE(grid.bins() * grid.rows(), cells);
        EXPECT_LE(grid.bins(), ViewGrid::kMaxBins);
        EXPECT_LE(grid.rows(), ViewGrid::kMaxRows);
        EXPECT_GE(grid.bins() * shape.periods_per_bin, periods);
        if (periods * (pages + 68) <= cells && periods <= ViewGrid::kMaxBins &&
            pages + 68 <= ViewGrid::kMaxRows) {
          EXPECT_EQ(shape.periods_per_bin, 1u);
          EXPECT_EQ(shape.granules_per_row, 1u);
        }
      }
}

TEST(ViewGrid, ALevelIsHalfOfTheNextOne) {
  const AddressBands bands = bands_of({8});
  const GridShape shape = {2, 8};
  ViewGrid grid(shape, 8, bands);
  for (const std::uint64_t period : {0u, 1u})
    grid.add(period, {first_of(0), 8, kR}); // 16 of 16
  grid.add(2, {first_of(0) + 3, 4, kW});    // 4 of 16
  grid.add(5, {first_of(0) + 7, 1, kR});    // 1 of 16
  EXPECT_EQ(picture(grid), "0f d0 0b 00\n");
}

TEST(ViewGrid, TheLastBinAndRowAreWholeAlthoughTheyAreShort) {
  const AddressBands bands = bands_of({5});
  ViewGrid grid({2, 4}, 3, bands);
  grid.add(2, {first_of(0), 5, kR});
  EXPECT_EQ(picture(grid), "00 0f\n"
                           "00 0f\n");
}

TEST(ViewGrid, RowsDoNotCrossBands) {
  const AddressBands bands = bands_of({3, 3});
  ViewGrid grid({1, 4}, 1, bands);
  EXPECT_EQ(grid.rows(), 2u);
  grid.add(0, {first_of(1), 3, kW});
  EXPECT_EQ(picture(grid), "00\n"
                           "f0\n");
}

TEST(ViewGrid, OneRunIsInAllBandsThatItReaches) {
  const AddressBands bands = bands_of({2, 2, 2});
  ViewGrid grid({1, 2}, 1, bands);
  grid.add(0, {first_of(0) + 1, first_of(2) + 1 - first_of(0) - 1, kR});
  EXPECT_EQ(picture(grid), "0e\n"
                           "0f\n"
                           "0e\n");
}

TEST(ViewGrid, WhatIsNotCertainOrBeyondTheTimeIsNotCounted) {
  const AddressBands bands = bands_of({1});
  ViewGrid grid({1, 1}, 2, bands);
  grid.add(0, {first_of(0), 1, trace::kRunMayWritten | trace::kRunMayRead});
  grid.add(1, {first_of(0), 1, trace::kRunCarried});
  grid.add(2, {first_of(0), 1, kR});
  grid.add(UINT64_MAX, {first_of(0), 1, kR});
  EXPECT_EQ(picture(grid), "00 00\n");
}

TEST(ViewGrid, AccessesOfLayoutAccessCountAsReads) {
  const AddressBands bands = bands_of({1});
  ViewGrid grid({1, 1}, 1, bands);
  grid.add(0, {first_of(0), 1, trace::kRunAccessed});
  EXPECT_EQ(picture(grid), "0f\n");
}

TEST(ViewGrid, ARareAccessIsNotLost) {
  const AddressBands bands = bands_of({std::uint64_t{1} << 40});
  ViewGrid grid({1, std::uint64_t{1} << 40}, 1, bands);
  grid.add(0, {first_of(0) + 12345, 1, kW});
  EXPECT_EQ(picture(grid), "10\n");
}

TEST(ViewGrid, CountsDoNotOverflow) {
  const std::uint64_t pages = std::uint64_t{1} << 30;
  const AddressBands bands = bands_of({pages});
  ViewGrid grid({16, pages}, 16, bands);
  for (std::uint64_t period = 0; period < 16; ++period)
    grid.add(period, {first_of(0), pages, kR});
  EXPECT_EQ(picture(grid), "0d\n"); // the count stops at 2^32 of 2^34
}

TEST(ViewGrid, NothingAtAll) {
  const AddressBands bands;
  ViewGrid grid(shape_for(0, bands, 100), 0, bands);
  grid.add(0, {5, 1, kR});
  EXPECT_TRUE(grid.levels().empty());
}

} // namespace
} // namespace pagetide::tools

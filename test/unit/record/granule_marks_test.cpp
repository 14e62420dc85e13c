//===- granule_marks_test.cpp - What cells say of granules ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pagetide/abi.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace pagetide {
namespace {

using abi::Layout;

constexpr unsigned kCellsShift =
    abi::kDefaultGranuleShift - abi::kNearCellShift;

/// Granule and kind of cell, to what is known of it: marks, or-ed.
using Known = std::map<std::pair<std::uint64_t, unsigned>, unsigned>;

/// The definition, cell by cell.
Known expected(Layout layout, std::uint64_t word, std::uint64_t value) {
  const unsigned kinds = abi::cells_per_index(layout);
  Known known;
  for (unsigned i = 0; i < 8; ++i) {
    const auto cell = static_cast<unsigned>(value >> (8 * i) & 0xff);
    const std::uint64_t index = (word * 8 + i) / kinds;
    const unsigned kind = static_cast<unsigned>((word * 8 + i) % kinds);
    const std::uint64_t granule = index >> kCellsShift;
    const bool is_last = (index + 1) >> kCellsShift != granule;
    if (cell & abi::kCellMarked || (cell & abi::kCellNear && !is_last))
      known[{granule, kind}] |= abi::kCellMarked;
    if (cell & abi::kCellMay || (cell & abi::kCellNear && is_last))
      known[{granule, kind}] |= abi::kCellMay;
    if (cell & abi::kCellNear && is_last)
      known[{granule + 1, kind}] |= abi::kCellMay;
  }
  return known;
}

Known folded(Layout layout, std::uint64_t word, std::uint64_t value) {
  const unsigned kinds = abi::cells_per_index(layout);
  Known known;
  abi::for_each_granule_word(
      layout, kCellsShift, word, value,
      [&](std::uint64_t number, std::uint64_t marks) {
        EXPECT_NE(marks, 0U);
        for (unsigned i = 0; i < 8; ++i)
          if (const auto cell = static_cast<unsigned>(marks >> (8 * i) & 0xff))
            known[{(number * 8 + i) / kinds,
                   static_cast<unsigned>((number * 8 + i) % kinds)}] |= cell;
        return true;
      });
  return known;
}

TEST(GranuleMarks, AreThoseOfTheCells) {
  std::mt19937_64 random(1);
  constexpr unsigned kValues[] = {0,
                                  0,
                                  0,
                                  abi::kCellMarked,
                                  abi::kCellMay,
                                  abi::kCellNear,
                                  abi::kCellNear | abi::kCellMarked,
                                  abi::kCellNear | abi::kCellMay};
  for (const Layout layout : {Layout::kRw, Layout::kAccess, Layout::kWrite})
    for (int round = 0; round < 20000; ++round) {
      // Around granules and around words of granules.
      const std::uint64_t word = random() % 600;
      std::uint64_t value = 0;
      for (unsigned i = 0; i < 8; ++i)
        value |= std::uint64_t{kValues[random() % 8]} << (8 * i);
      ASSERT_EQ(folded(layout, word, value), expected(layout, word, value))
          << "layout " << static_cast<unsigned>(layout) << " word " << word
          << " value " << std::hex << value;
    }
}

TEST(GranuleMarks, EndWithTheAddressSpace) {
  const std::uint64_t words =
      abi::shadow_bytes(Layout::kAccess, abi::kNearCellShift) / 8;
  const abi::GranuleMarks marks =
      abi::granule_marks(Layout::kAccess, kCellsShift, words - 1,
                         std::uint64_t{abi::kCellNear} << 56);
  EXPECT_EQ(marks.own, abi::kCellMay);
  EXPECT_EQ(marks.next, 0U);
}

TEST(GranuleMarks, JoinedGranulesSayWhatEachDid) {
  std::mt19937_64 random(2);
  for (const Layout layout : {Layout::kRw, Layout::kAccess, Layout::kWrite})
    for (const unsigned shift : {1U, 2U, 3U, 4U, 6U, 15U})
      for (int round = 0; round < 2000; ++round) {
        const unsigned kinds = abi::cells_per_index(layout);
        const std::uint64_t word = random() % (1 << 20);
        Known expected, joined;
        std::uint64_t value = 0;
        for (unsigned i = 0; i < 8; ++i)
          if (const auto cell = static_cast<unsigned>(random() % 6);
              cell <= abi::kCellMay) {
            value |= std::uint64_t{cell} << (8 * i);
            if (cell != 0)
              expected[{(word * 8 + i) / kinds >> shift,
                        static_cast<unsigned>((word * 8 + i) % kinds)}] |= cell;
          }
        abi::for_each_unit_word(
            layout, shift, /*near=*/false, word, value,
            [&](std::uint64_t number, std::uint64_t marks) {
              for (unsigned i = 0; i < 8; ++i)
                if (const auto cell =
                        static_cast<unsigned>(marks >> (8 * i) & 0xff))
                  joined[{(number * 8 + i) / kinds,
                          static_cast<unsigned>((number * 8 + i) % kinds)}] |=
                      cell;
              return true;
            });
        ASSERT_EQ(joined, expected)
            << "layout " << static_cast<unsigned>(layout) << " shift " << shift
            << " word " << word << " value " << std::hex << value;
      }
}

TEST(GranuleMarks, AreTheWordItselfWithOneCellAGranule) {
  int calls = 0;
  EXPECT_FALSE(abi::for_each_granule_word(
      Layout::kRw, 0, 7, 0x0102,
      [&](std::uint64_t number, std::uint64_t value) {
        ++calls;
        EXPECT_EQ(number, 7U);
        EXPECT_EQ(value, 0x0102U);
        return false;
      }));
  EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace pagetide

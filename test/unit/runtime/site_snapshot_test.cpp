//===- site_snapshot_test.cpp - Taking marks that name sites --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As snapshot_test.cpp, for cells of four bytes.

#include "shadow/snapshot.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace pagetide {
namespace {

constexpr u32 kSlot = 0;
constexpr u64 kCells = 2 * kLineBytes / sizeof(u32);
using Cells = std::array<u32, kCells>;
alignas(kLineBytes) Cells cells;

/// The fixture's shadow is the only one of this program: tests that follow set
/// theirs.
class SiteSnapshot : public testing::Test {
protected:
  SiteSnapshot() {
    shadow.layout = abi::Layout::kRw;
    shadow.with_sites = true;
    shadow.cell_bytes = 4;
    shadow.cells_per_index = 2;
    shadow.cells_per_granule_shift = shadow.cells_per_unit_shift = 0;
    shadow.granule_shift = shadow.cell_shift = shadow.unit_shift = 12;
    shadow.slot_base[kSlot] = reinterpret_cast<uptr>(cells.data());
    cells = {};
  }
  ~SiteSnapshot() override {
    shadow.with_sites = false;
    shadow.cell_bytes = 1;
  }
};

/// What was staged: marks and sites by cell.
struct Staged {
  std::map<u64, unsigned> marks;
  std::map<u64, u32> sites;

  void add_marks(u64 word, u64 value) {
    for (unsigned i = 0; i < 8; ++i)
      if (const auto mark = static_cast<unsigned>(value >> (8 * i) & 0xff))
        marks[word * 8 + i] |= mark;
  }
  void add_sites(u64 word, u64 value) {
    for (unsigned i = 0; i < 2; ++i)
      if (const u32 site = static_cast<u32>(value >> (32 * i)))
        sites[word * 2 + i] = site;
  }
};

unsigned mark_of(u32 site) {
  return site & abi::kSiteMay ? abi::kCellMay : abi::kCellMarked;
}

/// Takes all marks. meanwhile() is called when a word of sites has been staged.
template <typename Meanwhile> bool take(Staged &staged, Meanwhile meanwhile) {
  return TakeMarks(
      kSlot, 0, sizeof(cells),
      [&](u64 word, u64 value) {
        staged.add_marks(word, value);
        return true;
      },
      [](u64) {},
      [&](u64 word, u64 value) {
        staged.add_sites(word, value);
        return meanwhile();
      });
}

void fill(std::mt19937_64 &random) {
  const u64 one_in = 1 + random() % 6;
  for (u32 &cell : cells)
    if (random() % one_in == 0)
      cell = 1 + random() % 0x7ffffffe;
  if (random() % 2)
    cells[random() % kCells] = 5 | abi::kSiteMay;
}

TEST_F(SiteSnapshot, TakesEveryMarkWithItsSite) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    cells = {};
    fill(random);
    const Cells filled = cells;
    Staged staged;
    ASSERT_TRUE(take(staged, [] { return true; }));
    for (u64 i = 0; i < kCells; ++i) {
      ASSERT_EQ(staged.marks.contains(i), filled[i] != 0);
      ASSERT_EQ(staged.sites.contains(i), filled[i] != 0);
      if (filled[i]) {
        ASSERT_EQ(staged.marks[i], mark_of(filled[i]));
        ASSERT_EQ(staged.sites[i], filled[i]);
      }
    }
    ASSERT_EQ(cells, Cells{});
  }
}

/// A mark that comes between staging and clearing is in what was staged, or
/// still in the shadow.
TEST_F(SiteSnapshot, LosesNoMarkThatComesMeanwhile) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    cells = {};
    fill(random);
    const Cells filled = cells;
    for (unsigned moment = 0; moment < 4; ++moment)
      for (u64 at = 0; at < kCells; ++at) {
        cells = filled;
        Staged staged;
        unsigned count = 0;
        bool came = false;
        ASSERT_TRUE(take(staged, [&] {
          if (count++ == moment) {
            cells[at] = 7;
            came = true;
          }
          return true;
        }));
        const bool is_left = cells[at] == 7;
        if (came && !is_left)
          ASSERT_EQ(staged.marks[at] & abi::kCellMarked, abi::kCellMarked)
              << "cell " << at << " at moment " << moment;
        for (u64 i = 0; i < kCells; ++i)
          if (i != at)
            ASSERT_EQ(cells[i], 0U);
      }
  }
}

TEST_F(SiteSnapshot, LeavesWhatHasNoRoom) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 100; ++round) {
    cells = {};
    fill(random);
    const Cells filled = cells;
    bool done = false;
    for (unsigned room = 0; !done; ++room) {
      cells = filled;
      Staged staged;
      unsigned count = 0;
      done = take(staged, [&] { return count++ < room; });
      for (u64 i = 0; i < kCells; ++i)
        if (filled[i])
          ASSERT_TRUE(staged.marks.contains(i) || cells[i] == filled[i]);
    }
  }
}

TEST(SiteWords, PlainWordsHaveAByteForEachCell) {
  const u64 certain = 9, may = 3 | abi::kSiteMay;
  static_assert(abi::plain_word(0, 0).value == 0);
  EXPECT_EQ(abi::plain_word(0, certain).value, u64{abi::kCellMarked});
  EXPECT_EQ(abi::plain_word(7, may << 32).word, 1U);
  EXPECT_EQ(abi::plain_word(7, may << 32).value, u64{abi::kCellMay} << 56);
}

TEST(SiteWords, ACertainSiteWinsOverAPossibleOne) {
  const u64 may = 3 | abi::kSiteMay;
  EXPECT_EQ(abi::join_sites(0, 5), 5U);
  EXPECT_EQ(abi::join_sites(6, 5), 6U);
  EXPECT_EQ(abi::join_sites(may, 5), 5U);
  EXPECT_EQ(abi::join_sites(5, may), 5U);
  EXPECT_EQ(abi::join_sites(may << 32 | 1, u64{7} << 32), u64{7} << 32 | 1);
}

TEST(SiteWords, IdsAreNeverEmptyNorTheRuntimes) {
  for (const u64 hash : {u64{0}, u64{abi::kSiteMay}, ~u64{0},
                         u64{abi::kFirstCallSite}, u64{0x1234567890abcdef}}) {
    const u32 id = abi::site_id(hash);
    EXPECT_NE(id, 0U);
    EXPECT_LT(id, abi::kFirstCallSite);
  }
}

} // namespace
} // namespace pagetide

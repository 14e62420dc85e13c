//===- snapshot_test.cpp - Marks that come while others are taken ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TakeMarks on a small shadow. Between a word's being staged and its being
// cleared other marks come: here, in turn, all that a program can make.

#include "shadow/snapshot.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pagetide {

Shadow shadow; // of the runtime nothing else is here

namespace {

using abi::Layout;

constexpr u32 kSlot = 0;
constexpr u64 kShadowBytes = 2 * kLineBytes;

struct Way {
  Layout layout;
  unsigned granule_shift;
  bool near;
  unsigned unit_shift = granule_shift;
};

constexpr Way kWays[] = {
    {Layout::kRw, 12, false},
    {Layout::kAccess, 12, false},
    {Layout::kWrite, 12, false},
    {Layout::kRw, 12, true},
    {Layout::kAccess, 12, true},
    {Layout::kWrite, 11, true},
    {Layout::kRw, 11, true},
    {Layout::kAccess, 14, true},
    {Layout::kRw, 13, true},
    // Units of several granules: of a word's, a line's and more.
    {Layout::kRw, 6, false, 7},
    {Layout::kRw, 6, false, 8},
    {Layout::kRw, 6, false, 10},
    {Layout::kRw, 6, false, 21},
    {Layout::kAccess, 6, false, 7},
    {Layout::kAccess, 6, false, 8},
    {Layout::kWrite, 6, false, 9},
    {Layout::kWrite, 6, false, 12},
    {Layout::kRw, 12, true, 13},
    {Layout::kWrite, 11, true, 21},
};

std::string name_of(const Way &way) {
  return std::string(abi::kLayoutNames[static_cast<u32>(way.layout)]) + "/" +
         std::to_string(way.granule_shift) + (way.near ? "/near" : "") +
         " in units of " + std::to_string(way.unit_shift);
}

alignas(kLineBytes) std::array<u8, kShadowBytes> cells;

void begin(const Way &way) {
  shadow.layout = way.layout;
  shadow.granule_shift = way.granule_shift;
  shadow.cell_shift = way.near ? abi::kNearCellShift : way.granule_shift;
  shadow.cells_per_granule_shift = shadow.granule_shift - shadow.cell_shift;
  shadow.unit_shift = way.unit_shift;
  shadow.cells_per_unit_shift = shadow.unit_shift - shadow.cell_shift;
  shadow.cells_per_index = abi::cells_per_index(way.layout);
  shadow.slot_base[kSlot] = reinterpret_cast<uptr>(cells.data());
  cells = {};
}

/// Unit and kind of access, to what is known of it: marks, or-ed.
using Known = std::map<std::pair<u64, u64>, unsigned>;

/// What a cell says, by its definition (abi.h).
void add_cell(Known &known, u64 offset, unsigned cell) {
  const u64 index = offset / shadow.cells_per_index,
            kind = offset % shadow.cells_per_index;
  const u64 unit = index >> shadow.cells_per_unit_shift;
  const bool in_doubt = (index + 1) >> shadow.cells_per_unit_shift != unit;
  if ((cell & abi::kCellNear) != 0 && in_doubt) {
    known[{unit, kind}] |= abi::kCellMay;
    known[{unit + 1, kind}] |= abi::kCellMay;
  } else if (cell & (abi::kCellMarked | abi::kCellNear)) {
    known[{unit, kind}] |= abi::kCellMarked;
  }
  if (cell & abi::kCellMay)
    known[{unit, kind}] |= abi::kCellMay;
}

/// The same of staged words, which have one cell a unit.
void add_staged(Known &known, u64 word, u64 value) {
  for (unsigned i = 0; i < 8; ++i)
    if (const auto cell = static_cast<unsigned>(value >> (8 * i) & 0xff)) {
      const u64 offset = word * 8 + i;
      known[{offset / shadow.cells_per_index,
             offset % shadow.cells_per_index}] |= cell;
    }
}

/// Whether `known` says all that `said` does. What is certain may be so too.
bool says(const Known &known, const Known &said) {
  for (const auto &[place, marks] : said) {
    const auto found = known.find(place);
    if (found == known.end() || found->second == 0)
      return false;
    if ((marks & abi::kCellMarked) && !(found->second & abi::kCellMarked))
      return false;
  }
  return true;
}

/// The marks that code makes in a cell.
std::vector<u8> marks_of(u64 offset) {
  if (shadow.cells_per_granule_shift == 0)
    return {abi::kCellMarked, abi::kCellMay};
  const u64 index = offset / shadow.cells_per_index;
  if (index & ((u64{1} << shadow.cells_per_granule_shift) - 1))
    return {abi::kCellNear};
  return {abi::kCellMarked, abi::kCellMay, abi::kCellNear};
}

/// Makes a mark as programs do. False where it changes nothing.
bool make(u64 offset, u8 mark) {
  u8 &cell = cells[offset];
  if (mark == abi::kCellMay) {
    if (cell != abi::kCellEmpty)
      return false;
  } else if (cell == mark) {
    return false;
  }
  cell = mark;
  return true;
}

/// All marks of the shadow, moved into `staged`. meanwhile(n) is called when
/// the n-th word has been staged. It returns false to refuse the word.
template <typename Meanwhile> bool take(Known &staged, Meanwhile meanwhile) {
  unsigned count = 0;
  return TakeMarks(
      kSlot, 0, kShadowBytes,
      [&](u64 word, u64 value) {
        if (!meanwhile(count++))
          return false;
        add_staged(staged, word, value);
        return true;
      },
      [](u64 page) { EXPECT_EQ(page, 0U); });
}

void fill(std::mt19937_64 &random, Known &made) {
  const u64 one_in = 1 + random() % 4; // sparse words and full ones
  for (u64 at = 0; at < kShadowBytes; ++at) {
    if (random() % one_in != 0)
      continue;
    const std::vector<u8> marks = marks_of(at);
    // May marks are rare, and lead the way around what is tested here.
    u8 mark = marks[random() % marks.size()];
    if (mark == abi::kCellMay && random() % 8 != 0)
      mark = marks[0];
    make(at, mark);
    add_cell(made, at, cells[at]);
  }
}

/// Each mark that can come between the staging of a word and its clearing,
/// alone, in shadows of all sorts: what was staged, and what is left, must say
/// it.
TEST(Snapshot, LosesNoMarkThatComesMeanwhile) {
  for (const Way &way : kWays) {
    SCOPED_TRACE(name_of(way));
    std::mt19937_64 random(7);
    unsigned came = 0;
    for (int round = 0; round < 20; ++round) {
      begin(way);
      Known before;
      fill(random, before);
      const std::array<u8, kShadowBytes> filled = cells;
      for (unsigned moment = 0; moment < 4; ++moment)
        for (u64 at = 0; at < kShadowBytes; ++at)
          for (const u8 mark : marks_of(at)) {
            cells = filled;
            Known made = before, staged, left;
            ASSERT_TRUE(take(staged, [&](unsigned n) {
              if (n == moment && make(at, mark)) {
                add_cell(made, at, mark);
                ++came;
              }
              return true;
            }));
            Known all = staged;
            for (u64 i = 0; i < kShadowBytes; ++i)
              if (cells[i]) {
                ASSERT_EQ(i, at) << "left, though nothing came there";
                add_cell(left, i, cells[i]);
                add_cell(all, i, cells[i]);
              }
            ASSERT_TRUE(says(all, made))
                << "round " << round << ": mark " << unsigned{mark}
                << " in cell " << at << " came with staged word " << moment
                << " and was lost";
            ASSERT_TRUE(says(made, staged)) << "invented";
            // The next period has what was left, and that clears it.
            Known next;
            ASSERT_TRUE(take(next, [](unsigned) { return true; }));
            ASSERT_EQ(next, left);
            ASSERT_EQ(cells, (std::array<u8, kShadowBytes>{}));
          }
    }
    EXPECT_GT(came, 1000U);
  }
}

/// A full ring leaves in the shadow what it has not taken.
TEST(Snapshot, LosesNoMarkWhereTheRingIsFull) {
  for (const Way &way : kWays) {
    SCOPED_TRACE(name_of(way));
    std::mt19937_64 random(11);
    for (int round = 0; round < 200; ++round) {
      begin(way);
      Known made;
      fill(random, made);
      const std::array<u8, kShadowBytes> filled = cells;
      bool done = false;
      for (unsigned room = 0; !done; ++room) {
        cells = filled;
        Known staged;
        done = take(staged, [&](unsigned n) { return n < room; });
        for (u64 i = 0; i < kShadowBytes; ++i)
          add_cell(staged, i, cells[i]);
        ASSERT_TRUE(says(staged, made)) << "room for " << room << " words";
        ASSERT_TRUE(says(made, staged)) << "invented";
      }
    }
  }
}

/// The same between threads, where marks come at any moment: a mark is in the
/// take under way or in the next.
TEST(Snapshot, LosesNoMarkOfARunningThread) {
  for (const Way &way : kWays) {
    begin(way);
    // With one cell of a unit in use at a time, no other cell can replace it.
    const u64 granule_cells = u64{1} << shadow.cells_per_unit_shift;
    const u64 granules = kShadowBytes / shadow.cells_per_index / granule_cells;
    if (granules < 2)
      continue;
    SCOPED_TRACE(name_of(way));
    std::atomic<u64> takes = 0; // those that have ended
    std::atomic<bool> stop = false;
    std::map<std::pair<u64, u64>, std::atomic<u64>> last_take;
    for (u64 granule = 0; granule <= granules; ++granule)
      for (u64 kind = 0; kind < shadow.cells_per_index; ++kind)
        last_take[{granule, kind}] = 0;
    std::thread recorder([&] {
      while (!stop) {
        const u64 number = takes + 1;
        TakeMarks(
            kSlot, 0, kShadowBytes,
            [&](u64 word, u64 value) {
              Known staged;
              add_staged(staged, word, value);
              for (const auto &[place, marks] : staged)
                last_take.at(place) = number;
              return true;
            },
            [](u64) {});
        takes = number;
        std::this_thread::yield();
      }
    });
    std::mt19937_64 random(13);
    unsigned lost = 0;
    for (int round = 0; round < 100; ++round) {
      std::map<std::pair<u64, u64>, u64> ended_before;
      for (u64 granule = 0; granule < granules; ++granule)
        for (u64 kind = 0; kind < shadow.cells_per_index; ++kind) {
          // Not the last one, which is in doubt.
          const u64 index =
              granule * granule_cells + random() % 7 % granule_cells;
          const u64 offset = index * shadow.cells_per_index + kind;
          u8 mark = marks_of(offset).back();
          if (mark == abi::kCellMay ||
              (index % granule_cells == 0 && random() % 2))
            mark = abi::kCellMarked;
          ended_before[{granule, kind}] = takes;
          __atomic_store_n(&cells[offset], mark, __ATOMIC_RELEASE);
          for (u64 pause = random() % 32; pause; --pause)
            __builtin_ia32_pause();
        }
      const u64 enough = takes + 2;
      while (takes < enough)
        std::this_thread::yield();
      for (const auto &[place, before] : ended_before)
        lost += last_take.at(place) <= before;
    }
    stop = true;
    recorder.join();
    EXPECT_EQ(lost, 0U);
  }
}

} // namespace
} // namespace pagetide

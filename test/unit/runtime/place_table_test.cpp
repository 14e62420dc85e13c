//===- place_table_test.cpp - Places are taken once and given back --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/group_of_places.h"
#include "threads/place_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <sys/mman.h>

namespace pagetide {

// As in own_memory.cpp, which stands on the rest of the runtime.
void *MapAnonymous(uptr bytes, bool) {
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
void Unmap(void *p, uptr bytes) { munmap(p, bytes); }

namespace {

struct Entry {
  u32 next;
  std::atomic<int> holders;
};
using Table = PlaceTable<Entry, &Entry::next>;

TEST(PlaceTable, GrowsAndNeverMoves) {
  static Table table;
  constexpr u32 kPlaces = 5 * Table::kFirstBlock;
  std::set<u32> places;
  std::vector<Entry *> entries;
  for (u32 i = 0; i < kPlaces; ++i) {
    const u32 place = table.Take();
    ASSERT_NE(place, kNoPlace);
    EXPECT_TRUE(places.insert(place).second);
    entries.push_back(&table.At(place));
  }
  EXPECT_EQ(table.End(), kPlaces);
  EXPECT_EQ(std::set<Entry *>(entries.begin(), entries.end()).size(), kPlaces);
  for (u32 i = 0; i < kPlaces; ++i)
    EXPECT_EQ(&table.At(i), entries[i]);
}

TEST(PlaceTable, TakesWhatWasGivenBackLast) {
  static Table table;
  for (u32 i = 0; i < 3; ++i)
    EXPECT_EQ(table.Take(), i);
  table.Give(0);
  table.Give(2);
  EXPECT_EQ(table.Take(), 2U);
  EXPECT_EQ(table.Take(), 0U);
  EXPECT_EQ(table.Take(), 3U);
}

TEST(PlaceTable, HasItsFirstPlacesWhereItWasTold) {
  static Table table;
  static Entry first[Table::kFirstBlock];
  table.PlaceFirst(first);
  EXPECT_EQ(&table.At(table.Take()), &first[0]);
}

TEST(PlaceTable, NoTwoThreadsHaveAPlaceAtOnce) {
  static Table table;
  constexpr int kThreads = 4, kRounds = 20000, kHeld = 3;
  std::atomic<bool> twice = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        u32 held[kHeld];
        for (u32 &place : held) {
          place = table.Take();
          if (table.At(place).holders++ != 0)
            twice = true;
        }
        for (const u32 place : held) {
          --table.At(place).holders;
          table.Give(place);
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(twice);
  EXPECT_LE(table.End(), u32{kThreads * kHeld});
}

TEST(GroupOfPlaces, EachPlaceIsInOneGroup) {
  constexpr u32 kPlaces = 10000;
  for (u32 groups = 1; groups <= 33; ++groups) {
    std::vector<int> visits(kPlaces);
    for (u32 group = 0; group < groups; ++group) {
      const GroupOfPlaces places(group, groups);
      for (u32 p = places.First(); p < kPlaces; p = places.After(p)) {
        EXPECT_EQ(GroupOfPlaces::Of(p, groups), group);
        ++visits[p];
      }
    }
    EXPECT_EQ(visits, std::vector<int>(kPlaces, 1)) << groups << " groups";
  }
}

// Few threads are alone in their cache lines; many touch the shadow of
// neighbours.
TEST(GroupOfPlaces, FewTakeTurnsAndManyFormBlocks) {
  EXPECT_NE(GroupOfPlaces::Of(0, 32), GroupOfPlaces::Of(1, 32));
  EXPECT_EQ(GroupOfPlaces::Of(6400, 32), GroupOfPlaces::Of(6401, 32));
}

} // namespace
} // namespace pagetide

//===- dirty_regions_test.cpp - Tests of what saves take ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/dirty_regions.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace pagetide::checkpoint {

namespace {

constexpr std::uintptr_t kBase = 0x7000'0000'0000;

const void *at(std::uintptr_t address) {
  return reinterpret_cast<const void *>(address);
}

void note(DirtyRegions &regions, std::vector<pagetide_run> runs) {
  const pagetide_thread_set set = {0, runs.size(), runs.data()};
  pagetide_period period = {};
  period.thread_count = 1;
  period.threads = &set;
  period.granule = regions.granule();
  regions.note(period);
}

std::vector<DirtyRun> take(DirtyRegions &regions, std::size_t unit = 1) {
  auto runs = regions.begin_save(false, unit, 1000);
  regions.end_save(true);
  return runs;
}

using Triples =
    std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>>;

Triples triples(const std::vector<DirtyRun> &runs) {
  Triples out;
  for (const DirtyRun &run : runs)
    out.emplace_back(run.region, run.offset, run.bytes);
  return out;
}

/// Two regions, reported and clean.
void make_two(DirtyRegions &regions) {
  regions.protect(9, at(kBase + 100), 10000);
  regions.protect(4, at(kBase + 0x100000), 8192);
  note(regions, {{kBase, 0x200000, PAGETIDE_WRITTEN}});
  take(regions);
}

TEST(DirtyRegions, EveryFlagThatMayBeAWrite) {
  DirtyRegions regions;
  make_two(regions);
  using Flags = std::vector<std::uint32_t>;
  for (const std::uint32_t flag :
       Flags{PAGETIDE_WRITTEN, PAGETIDE_MAY_WRITTEN, PAGETIDE_CARRIED,
             PAGETIDE_ACCESSED, PAGETIDE_MAY_READ | PAGETIDE_MAY_WRITTEN}) {
    note(regions, {{kBase + 0x101000, 4096, flag}});
    EXPECT_EQ(triples(take(regions)), (Triples{{0, 4096, 4096}})) << flag;
  }
  for (const std::uint32_t flag : Flags{PAGETIDE_READ, PAGETIDE_MAY_READ}) {
    note(regions, {{kBase + 0x101000, 4096, flag}});
    EXPECT_TRUE(take(regions).empty()) << flag;
  }
}

TEST(DirtyRegions, RunsAreCutToRegions) {
  DirtyRegions regions;
  make_two(regions);
  note(regions, {{kBase, 0x200000, PAGETIDE_WRITTEN}});
  EXPECT_EQ(triples(take(regions)), (Triples{{0, 0, 8192}, {1, 0, 10000}}));
  note(regions, {{kBase, 4096, PAGETIDE_WRITTEN},
                 {kBase + 8192, 4096, PAGETIDE_WRITTEN}});
  EXPECT_EQ(triples(take(regions)),
            (Triples{{1, 0, 3996}, {1, 8092, 10000 - 8092}}));
}

TEST(DirtyRegions, AFailedSaveLosesNothing) {
  DirtyRegions regions;
  make_two(regions);
  note(regions, {{kBase + 0x100000, 4096, PAGETIDE_WRITTEN}});
  EXPECT_EQ(regions.begin_save(false, 1, 1000).size(), 1u);
  // Meanwhile another page is written.
  note(regions, {{kBase + 0x101000, 4096, PAGETIDE_WRITTEN}});
  regions.end_save(false);
  EXPECT_EQ(triples(take(regions)), (Triples{{0, 0, 8192}}));
  EXPECT_TRUE(take(regions).empty());
}

TEST(DirtyRegions, WhatIsWrittenDuringASaveBelongsToTheNext) {
  DirtyRegions regions;
  make_two(regions);
  note(regions, {{kBase + 0x100000, 4096, PAGETIDE_WRITTEN}});
  EXPECT_EQ(regions.begin_save(false, 1, 1000).size(), 1u);
  note(regions, {{kBase + 0x100000, 4096, PAGETIDE_WRITTEN}});
  regions.end_save(true);
  EXPECT_EQ(triples(take(regions)), (Triples{{0, 0, 4096}}));
}

TEST(DirtyRegions, WithoutAnyRowARegionIsTakenWhole) {
  DirtyRegions regions;
  regions.protect(1, at(kBase), 8192);
  EXPECT_EQ(regions.unreported().size(), 1u);
  take(regions);
  EXPECT_EQ(triples(take(regions)), (Triples{{0, 0, 8192}}));
  note(regions, {{kBase, 4096, PAGETIDE_WRITTEN}});
  EXPECT_TRUE(regions.unreported().empty());
  take(regions);
  EXPECT_TRUE(take(regions).empty());
}

TEST(DirtyRegions, TooManyRunsAreOne) {
  DirtyRegions regions;
  regions.protect(1, at(kBase), 100 * 8192);
  note(regions, {{kBase, 4096, PAGETIDE_WRITTEN}});
  take(regions);
  for (std::uintptr_t i = 0; i < 100; ++i)
    note(regions, {{kBase + i * 8192, 4096, PAGETIDE_WRITTEN}});
  EXPECT_EQ(regions.begin_save(false, 1, 100).size(), 100u);
  regions.end_save(false);
  EXPECT_EQ(triples(regions.begin_save(false, 1, 99)),
            (Triples{{0, 0, 100 * 8192}}));
}

/// Against bytes that are counted one by one, for granules of several sizes.
TEST(DirtyRegions, AtRandom) {
  std::minstd_rand random(11);
  for (const std::size_t granule : {64, 4096, 1 << 16}) {
    DirtyRegions regions;
    regions.set_granule(granule);
    std::uint64_t bytes = 1000;
    regions.protect(1, at(kBase + 40), bytes);
    note(regions, {{kBase, granule, PAGETIDE_WRITTEN}});
    take(regions);
    std::set<std::uint64_t> want; // granules from kBase on
    for (int step = 0; step < 500; ++step) {
      const std::uint64_t before = bytes;
      switch (random() % 4) {
      case 0:
        bytes = 1 + random() % (granule * 200);
        regions.protect(1, at(kBase + 40), bytes);
        for (std::uint64_t i = (before + 40) / granule;
             before < bytes && i <= (bytes + 39) / granule; ++i)
          want.insert(i);
        break;
      case 1: {
        std::set<std::uint64_t> got;
        for (const DirtyRun &run : take(regions)) {
          ASSERT_LE(run.offset + run.bytes, bytes);
          ASSERT_TRUE(run.offset == 0 || (run.offset + 40) % granule == 0);
          for (std::uint64_t i = (run.offset + 40) / granule;
               i <= (run.offset + run.bytes + 39) / granule; ++i)
            got.insert(i);
        }
        while (!want.empty() && *want.rbegin() > (bytes + 39) / granule)
          want.erase(*want.rbegin());
        ASSERT_EQ(got, want) << granule << " " << step;
        want.clear();
        break;
      }
      default: {
        const std::uint64_t first = random() % 220;
        const std::uint64_t count = 1 + random() % 100;
        note(regions,
             {{kBase + first * granule, count * granule, PAGETIDE_WRITTEN}});
        for (std::uint64_t i = first; i < first + count; ++i)
          if (i <= (bytes + 39) / granule)
            want.insert(i);
        break;
      }
      }
      // What lies beyond a smaller size is forgotten.
      while (!want.empty() && *want.rbegin() > (bytes + 39) / granule)
        want.erase(*want.rbegin());
    }
  }
}

TEST(DirtyRegions, CoarserUnitsHoldTheGranulesAndNoUnitWithout) {
  std::mt19937 random(20261123);
  for (const std::size_t unit : {64, 256, 4096, 1 << 16}) {
    constexpr std::size_t kGranule = 64, kFirst = 40, kBytes = 300000;
    DirtyRegions regions;
    regions.set_granule(kGranule);
    regions.protect(1, at(kBase + kFirst), kBytes);
    note(regions, {{kBase, 1 << 20, PAGETIDE_WRITTEN}});
    take(regions);
    std::set<std::uint64_t> want; // numbers of units
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t written = random() % (kBytes / kGranule) * kGranule;
      note(regions, {{kBase + written, kGranule, PAGETIDE_WRITTEN}});
      if (written + kGranule > kFirst)
        want.insert(written / unit);
    }
    std::set<std::uint64_t> got;
    std::uint64_t last_end = 0;
    for (const DirtyRun &run : take(regions, unit)) {
      const std::uint64_t from = run.offset + kFirst, to = from + run.bytes;
      EXPECT_TRUE(run.offset == 0 || from % unit == 0);
      EXPECT_TRUE(run.offset + run.bytes == kBytes || to % unit == 0);
      EXPECT_TRUE(run.offset == 0 || from > last_end); // runs do not touch
      last_end = to;
      for (std::uint64_t i = from / unit; i <= (to - 1) / unit; ++i)
        got.insert(i);
    }
    EXPECT_EQ(got, want) << unit;
  }
}

TEST(DirtyRegions, TooManyRunsMakeUnitsCoarserRegionByRegion) {
  DirtyRegions regions;
  regions.set_granule(64);
  regions.protect(1, at(kBase), 1 << 20);
  regions.protect(2, at(kBase + (1 << 20)), 1 << 20);
  note(regions, {{kBase, 2 << 20, PAGETIDE_WRITTEN}});
  take(regions);
  note(regions, {{kBase + 640, 64, PAGETIDE_WRITTEN}});
  for (std::uint64_t i = 0; i < 100; ++i) // every second granule of 50 pages
    note(regions, {{kBase + (1 << 20) + i * 128, 64, PAGETIDE_WRITTEN}});
  EXPECT_EQ(triples(regions.begin_save(false, 1, 100)),
            (Triples{{0, 640, 64}, {1, 0, 12800}}));
  regions.end_save(false);
  // Nothing is lost when there is no room at all.
  EXPECT_EQ(triples(regions.begin_save(false, 1, 1)),
            (Triples{{0, 640, 64}, {1, 0, 1 << 20}}));
}

TEST(DirtyRegions, PeriodsOfASaveBelongToIt) {
  DirtyRegions regions;
  make_two(regions);
  const auto page = [](std::uintptr_t offset) {
    return std::vector<pagetide_run>{
        {kBase + 0x100000 + offset, 4096, PAGETIDE_WRITTEN}};
  };
  const Triples both = {{0, 0, 8192}};
  for (const bool success : {true, false}) {
    note(regions, page(0));
    EXPECT_EQ(regions.begin_save(false, 1, 1000).size(), 1u);
    regions.note_to_save();
    note(regions, page(4096));
    // Another thread's period belongs to the next save.
    std::thread([&regions] {
      note(regions, {{kBase, 8192, PAGETIDE_WRITTEN}});
    }).join();
    regions.end_save(success);
    EXPECT_EQ(triples(take(regions)),
              success ? (Triples{{1, 0, 8092}})
                      : (Triples{{0, 0, 8192}, {1, 0, 8092}}));
    // After the save, so do this one's.
    note(regions, page(0));
    EXPECT_EQ(triples(take(regions)), (Triples{{0, 0, 4096}}));
  }
}

TEST(DirtyRegions, RegionsChangeDuringASave) {
  for (const bool success : {true, false}) {
    DirtyRegions regions;
    make_two(regions);
    const std::uint64_t changes = regions.changes();
    note(regions, {{kBase + 0x100000, 8192, PAGETIDE_WRITTEN}});
    regions.begin_save(false, 1, 1000);
    regions.note_to_save();
    regions.protect(4, at(kBase + 0x100000), 600 * 4096);
    regions.protect(9, at(kBase + 0x900000), 12288);
    EXPECT_GT(regions.changes(), changes);
    note(regions, {{kBase + 0x100000 + 599 * 4096, 4096, PAGETIDE_WRITTEN},
                   {kBase + 0x900000, 4096, PAGETIDE_WRITTEN}});
    regions.end_save(success);
    // What is new is not lost, and what the save had is there if it failed.
    EXPECT_EQ(triples(take(regions)),
              success ? (Triples{{0, 8192, 598 * 4096}, {1, 0, 12288}})
                      : (Triples{{0, 0, 600 * 4096}, {1, 0, 12288}}));
  }
}

TEST(DirtyRegions, RangesThatTheKernelSaw) {
  DirtyRegions regions;
  regions.expect_no_reports();
  regions.protect(9, at(kBase + 100), 10000);
  regions.protect(4, at(kBase + 0x100000), 8192);
  EXPECT_TRUE(regions.unreported().empty());
  take(regions);
  EXPECT_TRUE(take(regions).empty());
  const std::vector<CopyRange> ranges = {{kBase + 0x101000, kBase + 0x109000},
                                         {kBase, kBase + 4096}};
  regions.note_written(ranges);
  EXPECT_EQ(triples(take(regions)), (Triples{{0, 4096, 4096}, {1, 0, 3996}}));
}

TEST(DirtyRegions, RefusesWhatOverlaps) {
  DirtyRegions regions;
  make_two(regions);
  using Change = DirtyRegions::Change;
  EXPECT_EQ(regions.protect(5, at(kBase + 99), 2), Change::kInvalid);
  EXPECT_EQ(regions.protect(5, at(kBase + 99), 1), Change::kDone);
  EXPECT_EQ(regions.protect(6, at(kBase), 0), Change::kInvalid);
  EXPECT_EQ(regions.protect(6, at(~std::uintptr_t{0} - 3), 9),
            Change::kInvalid);
  EXPECT_EQ(regions.unprotect(6), Change::kInvalid);
  EXPECT_EQ(regions.unprotect(5), Change::kDone);
}

} // namespace

} // namespace pagetide::checkpoint

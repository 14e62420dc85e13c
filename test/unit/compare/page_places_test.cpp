//===- page_places_test.cpp - Where in its mapping a page lies ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/page_places.h"

#include <gtest/gtest.h>

namespace pagetide::tools {
namespace {

/// A list of mappings by pages.
struct Listed {
  std::uint64_t first;
  std::uint64_t pages;
  const char *name;
  std::uint64_t protection = 3;
};

void list(PagePlaces &places, std::initializer_list<Listed> mappings) {
  Mappings frame;
  for (const Listed &m : mappings)
    frame.mappings.push_back(
        {m.first << 12, m.pages << 12, m.protection, 0, m.name});
  places.set_mappings(frame);
}

std::string words(const PagePlaces &places, std::uint64_t page) {
  const Place *place = places.find(page);
  return place ? place->words(page, 12) : "nowhere";
}

TEST(PagePlaces, OffsetsCountFromTheEndOfStacksAndAnonymousMemory) {
  PagePlaces places(12);
  list(places, {{0x100, 2, "/bin/prog", 5},
                {0x102, 2, "/bin/prog"},
                {0x200, 8, "[heap]"},
                {0x300, 4, ""},
                {0x7f0, 0x10, "[stack]"}});
  EXPECT_EQ(words(places, 0x100), "/bin/prog");
  EXPECT_EQ(words(places, 0x103), "/bin/prog + 0x3000");
  EXPECT_EQ(words(places, 0x204), "[heap] + 0x4000");
  EXPECT_EQ(words(places, 0x303), "[anonymous] - 0x1000");
  EXPECT_EQ(words(places, 0x7ff), "[stack] - 0x1000");
  EXPECT_EQ(words(places, 0x0ff), "nowhere");
  EXPECT_EQ(words(places, 0x304), "nowhere");
}

TEST(PagePlaces, MemoryWithoutAccessDividesStacksAndFollowsArenas) {
  PagePlaces places(12);
  list(places, {{0x300, 1, "", 0},
                {0x301, 8, ""},
                {0x309, 1, "", 0},
                {0x30a, 8, ""},
                {0x400, 4, ""},
                {0x404, 60, "", 0}});
  // The first one is before memory without access too: what follows is a guard.
  EXPECT_EQ(words(places, 0x302), "[anonymous] + 0x1000");
  EXPECT_EQ(words(places, 0x30b), "[anonymous] 2 - 0x7000");
  EXPECT_EQ(words(places, 0x401), "[anonymous] 3 + 0x1000");
}

TEST(PagePlaces, APlaceThatGrowsKeepsItsOffsets) {
  PagePlaces places(12);
  list(places, {{0x200, 2, "[heap]"}, {0x300, 4, ""}});
  list(places, {{0x200, 4, "[heap]"}, {0x2f0, 0x14, ""}});
  EXPECT_EQ(words(places, 0x203), "[heap] + 0x3000");
  EXPECT_EQ(words(places, 0x2f0), "[anonymous] - 0x14000");
  EXPECT_EQ(words(places, 0x303), "[anonymous] - 0x1000");
}

TEST(PagePlaces, ANewMappingOfTheSameNameIsANewPlace) {
  PagePlaces places(12);
  list(places, {{0x300, 4, ""}});
  list(places, {{0x200, 4, ""}, {0x300, 4, ""}});
  EXPECT_EQ(words(places, 0x300), "[anonymous] - 0x4000");
  EXPECT_EQ(words(places, 0x200), "[anonymous] 2 - 0x4000");
}

TEST(PagePlaces, WhatIsUnmappedIsStillKnown) {
  PagePlaces places(12);
  list(places, {{0x300, 4, ""}, {0x400, 4, "/lib/a.so"}});
  list(places, {{0x300, 1, ""}});
  EXPECT_EQ(words(places, 0x401), "/lib/a.so + 0x1000");
  places.forget();
  EXPECT_EQ(words(places, 0x401), "nowhere");
}

TEST(PagePlaces, WhatIsMappedLaterWins) {
  PagePlaces places(12);
  list(places, {{0x300, 8, "/lib/a.so"}});
  list(places, {{0x302, 2, "/lib/b.so"}});
  EXPECT_EQ(words(places, 0x301), "/lib/a.so + 0x1000");
  EXPECT_EQ(words(places, 0x303), "/lib/b.so + 0x1000");
  EXPECT_EQ(words(places, 0x305), "/lib/a.so + 0x5000");
}

TEST(PlaceNumbers, FilesAreKnownByTheLastPartsOfTheirNames) {
  PagePlaces a(12);
  PagePlaces b(12);
  a.set_program("/old/prog-1");
  b.set_program("/new/prog-2");
  list(a, {{0x100, 1, "/old/prog-1"}, {0x300, 1, "/lib/x.so"}});
  list(b, {{0x500, 1, "/new/prog-2"},
           {0x700, 1, "/opt/x.so"},
           {0x800, 1, "/opt/x.so"}});
  PlaceNumbers numbers;
  const auto in_a = [&](std::uint64_t page) {
    return numbers.number_of(*a.find(page));
  };
  const auto in_b = [&](std::uint64_t page) {
    return numbers.number_of(*b.find(page));
  };
  EXPECT_EQ(in_a(0x100), in_b(0x500));
  EXPECT_EQ(in_a(0x300), in_b(0x700));
  EXPECT_NE(in_a(0x300), in_b(0x800));
  EXPECT_NE(in_a(0x300), in_a(0x100));
}

} // namespace
} // namespace pagetide::tools

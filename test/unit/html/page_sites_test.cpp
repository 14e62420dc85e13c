//===- page_sites_test.cpp - Which sites touched each page ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/page_sites.h"

#include "analysis/report_limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace pagetide::tools {
namespace {

std::vector<PageRecords::Entry> pages(const std::vector<std::uint64_t> &list) {
  std::vector<PageRecords::Entry> entries;
  for (const std::uint64_t granule : list)
    entries.push_back({granule, {}});
  return entries;
}

/// Ids are their own numbers.
std::vector<std::uint8_t> bytes_of(const PageSites &sites,
                                   const std::vector<std::uint64_t> &granules) {
  return sites.columns_of(pages(granules), [](std::uint32_t id) { return id; })
      .bytes();
}

using Bytes = std::vector<std::uint8_t>;

TEST(PageSites, SetsOfReadersAndWriters) {
  PageSites sites(kTableBytes);
  sites.add({10, 2, 5, 7});
  sites.add({11, 1, 6, 0});
  sites.add({12, 1, 0, 7});
  sites.add({13, 1, 8 | trace::kSiteMay, 0});
  // Sets in order of use: {5}, {7}, {5, 6}. Pages 10 to 13, then 99.
  EXPECT_EQ(bytes_of(sites, {10, 11, 12, 13, 99}),
            (Bytes{3,                            //
                   1, 0, 5, 1, 0, 7, 2, 0, 5, 6, // the sets
                   1, 3, 0, 0, 0,                // read by
                   2, 2, 2, 0, 0}));             // written by
}

TEST(PageSites, SitesThatAreNotListedAreCounted) {
  PageSites sites(kTableBytes);
  sites.add({10, 1, 5, 0});
  sites.add({10, 1, 6, 0});
  const ByteColumns columns = sites.columns_of(
      pages({10}), [](std::uint32_t id) { return id == 5 ? 0u : UINT32_MAX; });
  EXPECT_EQ(columns.bytes(), (Bytes{1, 1, 1, 0, 1, 0}));
}

TEST(PageSites, ALargeSetHasItsFirstOnly) {
  PageSites sites(kTableBytes);
  for (std::uint32_t id = 100; id > 0; --id)
    sites.add({10, 1, id, 0});
  const Bytes bytes = bytes_of(sites, {10});
  ASSERT_GT(bytes.size(), 4u);
  EXPECT_EQ(bytes[1], PageSites::kMaxOfSet);
  EXPECT_EQ(bytes[2], 100 - PageSites::kMaxOfSet);
  EXPECT_EQ(bytes[3], 1);
  EXPECT_EQ(bytes[4], 2);
}

} // namespace
} // namespace pagetide::tools

//===- page_records_test.cpp - What happened to each page -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/page_records.h"

#include "analysis/report_limits.h"
#include "pagetide/trace_format.h"
#include "short_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pagetide::tools {
namespace {

constexpr auto kStable =
    static_cast<std::uint64_t>(trace::ChecksumState::kStable);
constexpr auto kUnstable =
    static_cast<std::uint64_t>(trace::ChecksumState::kUnstable);

PeriodPart checksums(const std::vector<ChecksumRun> &runs,
                     const std::vector<std::uint64_t> &hashes) {
  PeriodPart part;
  part.checksum_runs = runs;
  part.hashes = hashes;
  return part;
}

TEST(PageRecords, PeriodsTimesAndTheLastMapping) {
  PageRecords records(kTableBytes, 100);
  records.add_access({{10, 3, kR}, 0, 1000});
  records.add_access({{11, 1, kR | kW}, 1, 2000});
  std::uint64_t count = 0;
  const auto pages = records.busiest(10, count);
  EXPECT_EQ(count, 3u);
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].granule, 10u);
  EXPECT_EQ(pages[0].record.periods, 1u);
  EXPECT_EQ(pages[0].record.written, 0u);
  EXPECT_EQ(pages[1].record.periods, 2u);
  EXPECT_EQ(pages[1].record.written, 1u);
  EXPECT_EQ(pages[1].record.first_ns, 1000u);
  EXPECT_EQ(pages[1].record.last_ns, 2000u);
  EXPECT_EQ(pages[1].record.mapping, 1u);
}

TEST(PageRecords, TheBusiestAreListedByAddress) {
  PageRecords records(kTableBytes, 100);
  for (std::uint64_t page = 0; page < 100; ++page)
    for (std::uint64_t time = 0; time <= page * 37 % 100; ++time)
      records.add_access({{page, 1, kR}, 0, time});
  std::uint64_t count = 0;
  const auto pages = records.busiest(3, count);
  EXPECT_EQ(count, 100u);
  ASSERT_EQ(pages.size(), 3u);
  std::vector<std::uint32_t> periods;
  for (const auto &page : pages)
    periods.push_back(page.record.periods);
  EXPECT_LT(pages[0].granule, pages[1].granule);
  EXPECT_LT(pages[1].granule, pages[2].granule);
  std::sort(periods.begin(), periods.end());
  EXPECT_EQ(periods, (std::vector<std::uint32_t>{98, 99, 100}));
}

TEST(PageRecords, ChangesOfChecksums) {
  PageRecords records(kTableBytes, 100);
  records.add_access({{5, 2, kW}, 0, 0});
  records.add_checksums(checksums({{5, 2, kStable}}, {7, 8}), 0, 0, UINT64_MAX);
  records.add_checksums(checksums({{5, 1, kStable}}, {7}), 10, 0, UINT64_MAX);
  records.add_checksums(checksums({{5, 1, kUnstable}, {6, 1, kStable}}, {9}),
                        20, 0, UINT64_MAX);
  records.add_checksums(checksums({{5, 1, kStable}}, {1}), 30, 0, UINT64_MAX);
  std::uint64_t count = 0;
  const auto pages = records.busiest(10, count);
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_EQ(pages[0].record.stable, 3u);
  EXPECT_EQ(pages[0].record.changed, 1u);
  EXPECT_EQ(pages[0].record.unstable, 1u);
  EXPECT_EQ(pages[1].record.stable, 2u);
  EXPECT_EQ(pages[1].record.changed, 1u);
  const auto events = records.events();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].granule, 5u);
  EXPECT_EQ(events[0].hash, 7u);
  EXPECT_EQ(events[1].granule, 5u);
  EXPECT_EQ(events[1].start_ns, 30u);
  EXPECT_EQ(events[1].hash, 1u);
  EXPECT_EQ(events[3].hash, 9u);
}

TEST(PageRecords, ChecksumsOfOtherAddressesAreNotTaken) {
  PageRecords records(kTableBytes, 100);
  records.add_access({{5, 3, kW}, 0, 0});
  records.add_checksums(checksums({{4, 4, kStable}}, {1, 2, 3, 4}), 0, 6, 6);
  const auto events = records.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].granule, 6u);
  EXPECT_EQ(events[0].hash, 3u);
}

TEST(PageRecords, ListsOfChecksumsAreBounded) {
  PageRecords records(kTableBytes, 40);
  records.add_access({{5, 2, kW}, 0, 0});
  for (std::uint64_t time = 0; time < 50; ++time)
    records.add_checksums(checksums({{5, 2, kStable}}, {time, time}), time, 0,
                          UINT64_MAX);
  EXPECT_EQ(records.events().size(), 40u);
  EXPECT_EQ(records.events_left_out(), 60u);
  PageRecords one(kTableBytes, 1000);
  for (std::uint64_t time = 0; time < 50; ++time)
    one.add_checksums(checksums({{5, 1, kStable}}, {time}), time, 0,
                      UINT64_MAX);
  EXPECT_EQ(one.events().size(), PageRecords::kMaxEventsOfPage);
}

TEST(PageRecords, MemoryIsBounded) {
  PageRecords records(100'000, 100);
  for (std::uint64_t page = 0; page < 100'000; page += 64)
    records.add_access({{page, 1, kR}, 0, 0});
  records.add_access({{0, std::uint64_t{1} << 40, kR}, 0, 0});
  std::uint64_t count = 0;
  records.busiest(10, count);
  EXPECT_TRUE(records.is_lower_bound());
  EXPECT_LT(count, 2000u);
}

TEST(PageRecords, Columns) {
  PageRecords::Entry page = {300, PageRecord()};
  page.record.first_ns = 5000;
  page.record.last_ns = 9999;
  page.record.periods = 2;
  page.record.written = 1;
  page.record.mapping = 4;
  PageRecords::Entry next = page;
  next.granule = 301;
  EXPECT_EQ(columns_of({page, next}, 1000).bytes(),
            (std::vector<std::uint8_t>{0xac, 2, 1, 5, 5, 4, 4, 2, 2, 1, 1, 0, 0,
                                       0, 0, 0, 0, 4, 4}));
}

} // namespace
} // namespace pagetide::tools

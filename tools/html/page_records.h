//===- page_records.h - What happened to each page of a process -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/page_table.h"
#include "html/packed_bytes.h"
#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pagetide::tools {

/// There are millions of these.
struct PageRecord {
  static constexpr std::uint64_t kNone = UINT64_MAX;

  std::uint64_t first_ns = kNone; ///< begin of the first period with an access
  std::uint64_t last_ns = 0;      ///< begin of the last one
  std::uint64_t hash = 0;         ///< the last stable checksum
  std::uint32_t periods = 0;
  std::uint32_t written = 0;  ///< periods in which it was written
  std::uint32_t stable = 0;   ///< checksums
  std::uint32_t unstable = 0; ///< checksums without a value
  std::uint32_t changed = 0;  ///< stable checksums unlike the one before
  std::uint16_t mapping = 0;
  std::uint8_t events = 0; ///< that are listed
};

/// A run in a mapping, and when its period began, since the run's start.
struct PageAccess : GranuleRun {
  std::size_t mapping;
  std::uint64_t start_ns;
};

/// A stable checksum that differs from the page's one before, or its first one.
struct ChecksumEvent {
  std::uint64_t granule;
  std::uint64_t start_ns; ///< of the period
  std::uint64_t hash;
};

/// Collects what is known of the pages of one process. Its memory is bounded.
class PageRecords {
public:
  static constexpr std::size_t kMaxEventsOfPage = 32;

  PageRecords(std::size_t table_bytes, std::size_t max_events)
      : pages_(table_bytes), max_events_(max_events) {}

  void add_access(const PageAccess &access);
  void add_accesses(std::span<const PageAccess> accesses) {
    pages_.fetch_ahead(accesses,
                       [this](const PageAccess &each) { add_access(each); });
  }
  /// Takes the part's checksums of granules from the first one to the last one.
  void add_checksums(const PeriodPart &part, std::uint64_t start_ns,
                     std::uint64_t first_granule, std::uint64_t last_granule);

  /// A page with its record.
  struct Entry {
    std::uint64_t granule;
    PageRecord record;
  };
  /// At most `max` pages, by rising addresses: those that were accessed in the
  /// most periods. `count` becomes the count of all pages.
  std::vector<Entry> busiest(std::size_t max, std::uint64_t &count) const;
  /// Calls visit(record) for each page that was accessed.
  template <typename Visit> void each(Visit visit) const {
    pages_.each([&](std::uint64_t, const PageRecord &record) {
      if (record.periods != 0)
        visit(record);
    });
  }
  /// By pages, and those of a page by time.
  std::vector<ChecksumEvent> events() const;
  /// Changes of checksums that are not listed.
  std::uint64_t events_left_out() const { return events_left_out_; }
  bool is_lower_bound() const { return pages_.is_lower_bound(); }

private:
  void add_event(PageRecord &page, const ChecksumEvent &event);

  PageTable<PageRecord> pages_;
  std::size_t max_events_;
  std::vector<ChecksumEvent> events_;
  std::uint64_t events_left_out_ = 0;
};

/// The pages column by column: differences of granule numbers, then the other
/// numbers in the order in which the script reads them. Times are in units.
ByteColumns columns_of(const std::vector<PageRecords::Entry> &pages,
                       std::uint64_t unit_ns);

/// Events column by column: granules, times, hashes.
ByteColumns columns_of(const std::vector<ChecksumEvent> &events,
                       std::uint64_t unit_ns);

} // namespace pagetide::tools

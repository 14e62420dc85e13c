//===- page_records.cpp - What happened to each page of a process ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/page_records.h"

#include "trace/runs.h"

#include <algorithm>
#include <tuple>

namespace pagetide::tools {

namespace {

void count_one(std::uint32_t &count) { count += count != UINT32_MAX; }

} // namespace

void PageRecords::add_access(const PageAccess &access) {
  const bool written = access.flags & trace::kRunWritten;
  pages_.visit(access.first, access.end(), [&](PageRecord &page) {
    page.first_ns = std::min(page.first_ns, access.start_ns);
    page.last_ns = std::max(page.last_ns, access.start_ns);
    // There are fewer names.
    page.mapping = static_cast<std::uint16_t>(access.mapping);
    count_one(page.periods);
    if (written)
      count_one(page.written);
  });
}

void PageRecords::add_event(PageRecord &page, const ChecksumEvent &event) {
  if (page.events == kMaxEventsOfPage || events_.size() == max_events_) {
    ++events_left_out_;
    return;
  }
  ++page.events;
  events_.push_back(event);
}

void PageRecords::add_checksums(const PeriodPart &part, std::uint64_t start_ns,
                                std::uint64_t first_granule,
                                std::uint64_t last_granule) {
  std::size_t next_hash = 0;
  for (const ChecksumRun &run : part.checksum_runs) {
    std::uint64_t from = std::max(run.first, first_granule);
    const std::uint64_t end =
        last_granule < run.end() ? last_granule + 1 : run.end();
    const std::size_t hashes = next_hash;
    if (run.stable())
      next_hash += run.count;
    // A granule at a time: the table leaves out those that it has no room for.
    for (; from < end; ++from) {
      pages_.visit(from, from + 1, [&](PageRecord &page) {
        if (!run.stable()) {
          count_one(page.unstable);
          return;
        }
        const std::uint64_t hash = part.hashes[hashes + (from - run.first)];
        const bool differs = page.stable != 0 && page.hash != hash;
        if (differs)
          count_one(page.changed);
        if (differs || page.stable == 0)
          add_event(page, {from, start_ns, hash});
        count_one(page.stable);
        page.hash = hash;
      });
      if (pages_.is_lower_bound() && !run.stable())
        break; // a run without hashes can be of 2^40 granules
    }
  }
}

std::vector<PageRecords::Entry>
PageRecords::busiest(std::size_t max, std::uint64_t &count) const {
  std::vector<Entry> entries;
  const auto keep_busiest = [&] {
    if (entries.size() <= max)
      return;
    std::nth_element(entries.begin(),
                     entries.begin() + static_cast<std::ptrdiff_t>(max),
                     entries.end(), [](const Entry &a, const Entry &b) {
                       return std::tie(b.record.periods, a.granule) <
                              std::tie(a.record.periods, b.granule);
                     });
    entries.resize(max);
  };
  count = 0;
  pages_.each([&](std::uint64_t granule, const PageRecord &record) {
    if (record.periods == 0)
      return;
    ++count;
    entries.push_back({granule, record});
    if (entries.size() == 2 * max)
      keep_busiest();
  });
  keep_busiest();
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.granule < b.granule;
  });
  return entries;
}

std::vector<ChecksumEvent> PageRecords::events() const {
  std::vector<ChecksumEvent> sorted = events_;
  std::sort(sorted.begin(), sorted.end(),
            [](const ChecksumEvent &a, const ChecksumEvent &b) {
              return std::tie(a.granule, a.start_ns) <
                     std::tie(b.granule, b.start_ns);
            });
  return sorted;
}

ByteColumns columns_of(const std::vector<PageRecords::Entry> &pages,
                       std::uint64_t unit_ns) {
  ByteColumns out;
  const auto column = [&](auto number_of) {
    for (const PageRecords::Entry &page : pages)
      out.varint(number_of(page.record));
  };
  std::uint64_t last = 0;
  for (const PageRecords::Entry &page : pages) {
    out.varint(page.granule - last);
    last = page.granule;
  }
  column([&](const PageRecord &page) { return page.first_ns / unit_ns; });
  column([&](const PageRecord &page) {
    return page.last_ns / unit_ns - page.first_ns / unit_ns;
  });
  column([](const PageRecord &page) { return page.periods; });
  column([](const PageRecord &page) { return page.written; });
  column([](const PageRecord &page) { return page.stable; });
  column([](const PageRecord &page) { return page.unstable; });
  column([](const PageRecord &page) { return page.changed; });
  column([](const PageRecord &page) { return page.mapping; });
  return out;
}

ByteColumns columns_of(const std::vector<ChecksumEvent> &events,
                       std::uint64_t unit_ns) {
  ByteColumns out;
  std::uint64_t last = 0;
  for (const ChecksumEvent &event : events) {
    out.varint(event.granule - last);
    last = event.granule;
  }
  for (const ChecksumEvent &event : events)
    out.varint(event.start_ns / unit_ns);
  for (const ChecksumEvent &event : events)
    out.fixed(event.hash);
  return out;
}

} // namespace pagetide::tools

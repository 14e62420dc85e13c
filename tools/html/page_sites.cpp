//===- page_sites.cpp - Which sites touched each page of a process --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/page_sites.h"

#include <algorithm>
#include <unordered_map>

namespace pagetide::tools {

void PageSites::add(const SiteRun &run) {
  const std::uint32_t read = certain_site(run.read);
  const std::uint32_t write = certain_site(run.write);
  if (read == 0 && write == 0)
    return;
  const std::uint32_t of_read = read == 0 ? 0 : ids_.of(read);
  const std::uint32_t of_write = write == 0 ? 0 : ids_.of(write);
  pages_.visit(run.first, run.end(), [&](Sites &page) {
    if (read != 0)
      sets_.add(page.read, of_read);
    if (write != 0)
      sets_.add(page.written, of_write);
  });
}

void PageSites::add(std::span<const SiteRun> rows) {
  pages_.fetch_ahead(rows, [this](const SiteRun &run) { add(run); });
}

ByteColumns PageSites::columns_of(const std::vector<PageRecords::Entry> &pages,
                                  const NumberOf &number_of) const {
  std::vector<Sites> of_pages(pages.size());
  std::size_t next = 0;
  pages_.each([&](std::uint64_t granule, const Sites &sites) {
    while (next < pages.size() && pages[next].granule < granule)
      ++next;
    if (next < pages.size() && pages[next].granule == granule)
      of_pages[next] = sites;
  });

  std::unordered_map<std::uint32_t, std::uint32_t> numbers = {{0, 0}};
  std::vector<std::uint32_t> used;
  for (const Sites &sites : of_pages)
    for (const std::uint32_t set : {sites.read, sites.written})
      if (used.size() < kMaxSets &&
          numbers.try_emplace(set, static_cast<std::uint32_t>(used.size() + 1))
              .second)
        used.push_back(set);

  ByteColumns out;
  out.varint(used.size());
  std::vector<std::uint32_t> listed;
  for (const std::uint32_t set : used) {
    listed.clear();
    const ThreadSets::Members members = sets_.members(set);
    for (const std::uint32_t member : members)
      if (const std::uint32_t number = number_of(ids_.keys()[member]);
          number != UINT32_MAX)
        listed.push_back(number);
    std::ranges::sort(listed);
    listed.resize(std::min(listed.size(), kMaxOfSet));
    out.varint(listed.size());
    out.varint(members.size() - listed.size());
    for (const std::uint32_t number : listed)
      out.varint(number);
  }
  const auto column = [&](std::uint32_t Sites::*kind) {
    for (const Sites &sites : of_pages) {
      const auto number = numbers.find(sites.*kind);
      out.varint(number == numbers.end() ? used.size() + 1 : number->second);
    }
  };
  column(&Sites::read);
  column(&Sites::written);
  return out;
}

} // namespace pagetide::tools

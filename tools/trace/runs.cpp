//===- runs.cpp - Sets of granules as lists of runs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trace/runs.h"

#include <algorithm>

namespace pagetide::tools {

unsigned normalized_flags(unsigned flags) {
  if (flags & trace::kRunRead)
    flags &= ~trace::kRunMayRead;
  if (flags & trace::kRunWritten)
    flags &= ~(trace::kRunMayWritten | trace::kRunCarried);
  if (flags & trace::kRunAccessed)
    flags &= ~(kMayFlags | trace::kRunCarried);
  return flags;
}

void append_run(std::vector<GranuleRun> &runs, std::uint64_t first,
                std::uint64_t count, unsigned flags) {
  if (!runs.empty() && runs.back().end() == first &&
      runs.back().flags == flags) {
    runs.back().count += count;
    return;
  }
  runs.push_back({first, count, static_cast<std::uint8_t>(flags)});
}

std::vector<GranuleRun> merge_runs(std::span<const GranuleRun> a,
                                   std::span<const GranuleRun> b) {
  std::vector<GranuleRun> out;
  out.reserve(a.size() + b.size());
  std::size_t next_a = 0;
  std::size_t next_b = 0;
  std::uint64_t at = 0; // everything below is in `out`
  while (next_a < a.size() && next_b < b.size()) {
    const GranuleRun &run_a = a[next_a];
    const GranuleRun &run_b = b[next_b];
    const std::uint64_t from_a = std::max(run_a.first, at);
    const std::uint64_t from_b = std::max(run_b.first, at);
    const std::uint64_t from = std::min(from_a, from_b);
    // Up to where neither list changes.
    std::uint64_t to;
    unsigned flags;
    if (from_a != from_b) {
      const GranuleRun &earlier = from_a < from_b ? run_a : run_b;
      to = std::min(earlier.end(), std::max(from_a, from_b));
      flags = normalized_flags(earlier.flags);
    } else {
      to = std::min(run_a.end(), run_b.end());
      flags = normalized_flags(run_a.flags | run_b.flags);
    }
    append_run(out, from, to - from, flags);
    at = to;
    if (run_a.end() <= at)
      ++next_a;
    if (run_b.end() <= at)
      ++next_b;
  }
  const auto copy_rest = [&](std::span<const GranuleRun> list,
                             std::size_t next) {
    for (; next < list.size(); ++next) {
      const std::uint64_t from = std::max(list[next].first, at);
      append_run(out, from, list[next].end() - from,
                 normalized_flags(list[next].flags));
    }
  };
  copy_rest(a, next_a);
  copy_rest(b, next_b);
  return out;
}

std::span<const GranuleRun>
union_of_sections(const PeriodPart &part, std::vector<GranuleRun> &scratch) {
  if (part.sections.size() <= 1)
    return part.runs;
  if (part.is_final && part.united)
    return *part.united;
  // Neighbours are merged in pairs, round by round, so that each run is copied
  // log2(sections) times.
  std::vector<std::vector<GranuleRun>> lists;
  for (std::size_t i = 0; i < part.sections.size(); i += 2) {
    const std::span<const GranuleRun> a = part.runs_of(part.sections[i]);
    const std::span<const GranuleRun> b =
        i + 1 < part.sections.size() ? part.runs_of(part.sections[i + 1])
                                     : std::span<const GranuleRun>();
    lists.push_back(merge_runs(a, b));
  }
  while (lists.size() > 1) {
    std::vector<std::vector<GranuleRun>> merged;
    for (std::size_t i = 0; i + 1 < lists.size(); i += 2) {
      merged.push_back(merge_runs(lists[i], lists[i + 1]));
      std::vector<GranuleRun>().swap(lists[i]);
      std::vector<GranuleRun>().swap(lists[i + 1]);
    }
    if (lists.size() % 2 != 0)
      merged.push_back(std::move(lists.back()));
    lists = std::move(merged);
  }
  if (part.is_final)
    return part.united.emplace(std::move(lists.front()));
  scratch = std::move(lists.front());
  return scratch;
}

} // namespace pagetide::tools

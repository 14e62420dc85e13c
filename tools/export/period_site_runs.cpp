//===- period_site_runs.cpp - The sites of a period's granules ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/period_site_runs.h"

#include <algorithm>

namespace pagetide::tools {

namespace {

/// Of one period. Further ones are left out: their granules have no sites.
constexpr std::size_t kMaxSiteRuns = std::size_t{4} << 20;

/// A certain access says more than a possible one.
void take_site(std::uint32_t &site, std::uint32_t other) {
  if (site == 0 || (certain_site(site) == 0 && certain_site(other) != 0))
    site = other;
}

} // namespace

void PeriodSiteRuns::begin_trace(bool per_thread) {
  per_thread_ = per_thread;
  period_ = UINT64_MAX;
  kept_ = 0;
  threads_.clear();
  cursors_.clear();
}

void PeriodSiteRuns::see(const Frame &frame) {
  if (frame.type != trace::FrameType::kPeriodSites)
    return;
  const PeriodSites &sites = frame.period_sites;
  if (sites.first || sites.index != period_) {
    threads_.clear();
    cursors_.clear();
    kept_ = 0;
    period_ = sites.index;
  }
  for (const PeriodSites::Section &section : sites.sections) {
    const std::span<const SiteRun> runs = sites.runs_of(section);
    if (kept_ + runs.size() > kMaxSiteRuns)
      return;
    kept_ += runs.size();
    std::vector<SiteRun> &thread = threads_[section.tid];
    thread.insert(thread.end(), runs.begin(), runs.end());
  }
}

void PeriodSiteRuns::begin_section(std::uint64_t period, std::uint32_t tid) {
  cursors_.clear();
  if (period != period_)
    return;
  for (const auto &[thread, runs] : threads_)
    if (!per_thread_ || thread == tid)
      cursors_.push_back({&runs});
}

PeriodSiteRuns::Sites PeriodSiteRuns::at(std::uint64_t granule,
                                         std::uint64_t &until) {
  Sites sites;
  for (Cursor &cursor : cursors_) {
    const std::vector<SiteRun> &runs = *cursor.runs;
    while (cursor.next < runs.size() && runs[cursor.next].end() <= granule)
      ++cursor.next;
    if (cursor.next == runs.size())
      continue;
    const SiteRun &run = runs[cursor.next];
    if (run.first > granule) {
      until = std::min(until, run.first);
      continue;
    }
    until = std::min(until, run.end());
    take_site(sites.read, run.read);
    take_site(sites.write, run.write);
  }
  return sites;
}

} // namespace pagetide::tools

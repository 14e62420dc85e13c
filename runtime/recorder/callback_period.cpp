//===- callback_period.cpp - A period as the callback sees it -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/callback_period.h"

#include "platform/fork_reset.h"
#include "platform/page_vec.h"
#include "shadow/shadow.h"

namespace pagetide {

// The C API's numbers are the trace's.
constexpr bool Same(int api, int trace) { return api == trace; }
static_assert(Same(PAGETIDE_READ, trace::kRunRead) &&
              Same(PAGETIDE_WRITTEN, trace::kRunWritten) &&
              Same(PAGETIDE_ACCESSED, trace::kRunAccessed) &&
              Same(PAGETIDE_CARRIED, trace::kRunCarried) &&
              Same(PAGETIDE_MAY_READ, trace::kRunMayRead) &&
              Same(PAGETIDE_MAY_WRITTEN, trace::kRunMayWritten) &&
              Same(PAGETIDE_UNMARKED, trace::kRunUnmarked) &&
              Same(PAGETIDE_STATE_UNREADABLE,
                   (int)ChecksumState::kUnreadable) &&
              Same(PAGETIDE_STATE_GONE, (int)ChecksumState::kGone) &&
              Same(PAGETIDE_STATE_UNSTABLE, (int)ChecksumState::kUnstable) &&
              Same(PAGETIDE_STATE_STABLE, (int)ChecksumState::kStable) &&
              Same(PAGETIDE_PERIOD_DRIVEN, trace::kPeriodDriven) &&
              Same(PAGETIDE_PERIOD_FINAL, trace::kPeriodFinal));

PAGETIDE_RECORDER_STATE static pagetide_period description;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_run> runs;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_thread_set> sections;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_page> pages;
PAGETIDE_RECORDER_STATE static PageVec<pagetide_mapping> added, removed;
PAGETIDE_RECORDER_STATE static MappingList last, current, came_and_went;

static void Describe(const MappingList &list, const Mapping &m,
                     PageVec<pagetide_mapping> &out) {
  out.push_back({(uintptr_t)m.start, m.bytes, m.protection, list.NameOf(m)});
}

/// Both lists are sorted by start: one pass.
static void CompareMappings() {
  added.clear();
  removed.clear();
  uptr i = 0, j = 0;
  while (i < last.entries.size() || j < current.entries.size()) {
    const Mapping *a = i < last.entries.size() ? &last.entries[i] : nullptr;
    const Mapping *b =
        j < current.entries.size() ? &current.entries[j] : nullptr;
    if (a && b && SameMapping(last, *a, current, *b)) {
      ++i;
      ++j;
    } else if (a && (!b || a->start <= b->start)) {
      Describe(last, *a, removed);
      ++i;
    } else {
      Describe(current, *b, added);
      ++j;
    }
  }
  for (const Mapping &m : came_and_went.entries)
    if (!Contains(last, came_and_went, m) &&
        !Contains(current, came_and_went, m))
      Describe(came_and_went, m, removed);
}

static void Copy(MappingList &to, const MappingList &from) {
  to.entries.assign(from.entries);
  to.names.assign(from.names);
}

const pagetide_period &DescribePeriod(const PeriodResult &result,
                                      const MappingList &mappings,
                                      const MappingList &passed) {
  const u32 shift = shadow.unit_shift;
  runs.clear();
  for (const GranuleRun &run : result.set.runs)
    runs.push_back({run.granule << shift, run.length << shift, run.flags});
  sections.clear();
  for (const Section &s : result.set.sections)
    sections.push_back({s.tid, s.count, &runs[s.first]});
  pages.clear();
  for (const PageHash &page : result.hashes)
    pages.push_back({page.granule << shift, page.hash, (u32)page.state});
  // The list of the last call must outlive this one: it has the names of the
  // mappings that are gone.
  last.entries.swap(current.entries);
  last.names.swap(current.names);
  Copy(current, mappings);
  Copy(came_and_went, passed);
  CompareMappings();
  pagetide_period &d = description;
  d.size = sizeof(d);
  d.index = result.entry.index;
  d.start_ns = result.entry.start_ns;
  d.end_ns = result.entry.end_ns;
  d.flags = result.entry.flags;
  d.overruns = result.entry.overruns;
  d.granule = (size_t)1 << shift;
  d.thread_count = sections.size();
  d.threads = sections.data();
  d.page_count = pages.size();
  d.pages = pages.data();
  d.combined_checksum = result.combined.sum;
  d.stable_count = result.combined.stable;
  d.left_out_count = result.combined.left_out;
  d.added_count = added.size();
  d.added = added.data();
  d.removed_count = removed.size();
  d.removed = removed.data();
  d.cut_ns = result.cut.at_ns;
  d.cut_pause_ns = result.cut.pause_ns;
  d.cut_marked_count = result.cut.marked;
  d.cut_unsettled_count = result.cut.unsettled;
  d.no_cut = result.cut.why_not;
  return d;
}

} // namespace pagetide

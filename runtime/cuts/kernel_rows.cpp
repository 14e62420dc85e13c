//===- kernel_rows.cpp - What the kernel saw written, as rows of a set ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/kernel_rows.h"

#include "platform/fork_reset.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_common.h"

namespace pagetide {

using namespace trace;
using __sanitizer::Max;
using __sanitizer::Min;

/// Flags of granules that a mark says to be written, perhaps.
constexpr u32 kMarkedAsWritten =
    kRunWritten | kRunMayWritten | kRunCarried | kRunAccessed;

PAGETIDE_RECORDER_STATE static PageVec<WrittenRun> covered, not_covered;
PAGETIDE_RECORDER_STATE static PageVec<GranuleRun> unmarked;
PAGETIDE_RECORDER_STATE static PageSet changed;

//===- Pages and units ----------------------------------------------------===//

/// The pages that a run of units lies in.
static WrittenRun PagesOf(const GranuleRun &run) {
  const uptr begin = run.granule << shadow.unit_shift;
  const uptr end = run.end() << shadow.unit_shift;
  const u64 first = begin >> kPageShift;
  return {first, ((end - 1) >> kPageShift) + 1 - first, kKernelWritten};
}

/// The units that a run of pages lies in.
static GranuleRun UnitsOf(const WrittenRun &run) {
  const u64 first = UnitOf(run.first << kPageShift);
  const uptr last = ((run.first + run.count) << kPageShift) - 1;
  return {first, UnitOf(last) + 1 - first, 0};
}

/// Lists the pages that have a write mark, by any thread.
static void ListCovered(const PageSet &set) {
  covered.clear();
  for (const GranuleRun &run : set.runs)
    if (run.flags & kMarkedAsWritten && !(run.flags & kRunUnmarked))
      covered.push_back(PagesOf(run));
  UniteWritten(covered);
}

/// Moves to `not_covered` what is in `pages` and not in `covered`.
static void Uncover(const PageVec<WrittenRun> &pages) {
  not_covered.clear();
  uptr next = 0;
  for (const WrittenRun &run : pages) {
    if (!(run.flags & kKernelWritten))
      continue;
    u64 at = run.first;
    const u64 end = run.first + run.count;
    while (next < covered.size() &&
           covered[next].first + covered[next].count <= at)
      ++next;
    for (uptr i = next; at < end; ++i) {
      const u64 from = i < covered.size() ? covered[i].first : end;
      if (at < from)
        not_covered.push_back({at, Min(from, end) - at, run.flags});
      if (from >= end)
        break;
      at = covered[i].first + covered[i].count;
    }
  }
}

void ListGranules(const PageVec<WrittenRun> &pages,
                  const PageVec<GranuleRange> *watch,
                  PageVec<GranuleRun> &runs) {
  runs.clear();
  WatchedGranules watched(watch);
  u64 at = 0; // a unit may have several pages
  for (const WrittenRun &page_run : pages) {
    if (!(page_run.flags & kKernelWritten))
      continue;
    const GranuleRun units = UnitsOf(page_run);
    for (at = Max(at, units.granule); at < units.end(); ++at)
      if (watched.Has(at))
        AppendRun(runs, 0, {at, 1, 0});
  }
}

//===- Rows ---------------------------------------------------------------===//

/// What the kernel tells of a granule. It does not tell which part of a page
/// was written.
static u32 FlagsOfUnmarked() {
  if (!abi::tells_writes(shadow.layout))
    return kRunUnmarked | kRunAccessed;
  return kRunUnmarked |
         (shadow.unit_shift < kPageShift ? kRunMayWritten : kRunWritten);
}

/// Appends the union of two sorted lists without overlap.
static void AppendUnion(const GranuleRun *a, const GranuleRun *a_end,
                        const PageVec<GranuleRun> &added, u32 flags,
                        PageVec<GranuleRun> &runs) {
  constexpr u64 kNone = ~u64{0};
  const uptr first = runs.size();
  const GranuleRun *b = added.begin();
  for (u64 at = 0; a != a_end || b != added.end();) {
    const u64 from_a = a == a_end ? kNone : Max(a->granule, at);
    const u64 from_b = b == added.end() ? kNone : Max(b->granule, at);
    const u64 from = Min(from_a, from_b);
    u64 to = from_a == from ? a->end() : from_a;
    to = Min(to, from_b == from ? b->end() : from_b);
    AppendRun(runs, first,
              {from, to - from,
               (from_a == from ? a->flags : 0) | (from_b == from ? flags : 0)});
    at = to;
    if (a != a_end && a->end() <= at)
      ++a;
    if (b != added.end() && b->end() <= at)
      ++b;
  }
}

void AddUnmarked(const PageVec<WrittenRun> &seen,
                 const PageVec<GranuleRange> *watch, PageSet &set) {
  ListCovered(set);
  Uncover(seen);
  ListGranules(not_covered, watch, unmarked);
  if (unmarked.empty())
    return;
  changed.Clear();
  uptr next = 0;
  const GranuleRun *begin = nullptr, *end = nullptr;
  if (!set.sections.empty() && !set.sections[0].tid) {
    begin = set.runs.data() + set.sections[0].first;
    end = begin + set.sections[0].count;
    next = 1;
  }
  AppendUnion(begin, end, unmarked, FlagsOfUnmarked(), changed.runs);
  changed.sections.push_back({0, 0, changed.runs.size()});
  for (; next < set.sections.size(); ++next) {
    const Section &section = set.sections[next];
    changed.sections.push_back(
        {section.tid, changed.runs.size(), section.count});
    for (uptr i = 0; i < section.count; ++i)
      changed.runs.push_back(set.runs[section.first + i]);
  }
  set.runs.swap(changed.runs);
  set.sections.swap(changed.sections);
}

void RemoveMarked(const PageSet &set, PageVec<WrittenRun> &seen) {
  ListCovered(set);
  Uncover(seen);
  seen.assign(not_covered);
}

} // namespace pagetide

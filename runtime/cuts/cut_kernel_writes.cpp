//===- cut_kernel_writes.cpp - Cuts of what nobody has marked -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/cut_kernel_writes.h"

#include "cuts/kernel_rows.h"
#include "engines/audit_writes.h"
#include "engines/engine.h"
#include "platform/fork_reset.h"
#include "shadow/shadow.h"

namespace pagetide {

/// Of this period, until now.
PAGETIDE_RECORDER_STATE static PageVec<WrittenRun> seen;
/// The part of it that was taken since the period's end. From the set's
/// completion on, what the next period begins with.
PAGETIDE_RECORDER_STATE static PageVec<WrittenRun> later;
PAGETIDE_RECORDER_STATE static PageVec<WrittenRun> taken;
PAGETIDE_RECORDER_STATE static PageVec<GranuleRun> granules;
PAGETIDE_RECORDER_STATE static bool unknown;

void ForgetKernelWrites() {
  later.clear();
  unknown = false;
}

static void Append(PageVec<WrittenRun> &to, const PageVec<WrittenRun> &from) {
  for (const WrittenRun &run : from)
    to.push_back(run);
  UniteWritten(to);
}

void BeginKernelWrites() {
  seen.swap(later);
  later.clear();
  unknown = false;
  if (WatchingKernelWrites())
    Append(seen, CollectedKernelWrites());
}

u64 TakeKernelWrites(CutPages &cut) {
  if (!WatchingKernelWrites())
    return 0;
  taken.clear();
  unknown |= TakeKernelWritesEarly(taken) != 0;
  Append(seen, taken);
  Append(later, taken);
  ListGranules(taken, cut.wanted, granules);
  if (granules.empty())
    return 0;
  AddUnread(cut, granules);
  return GranulesOf(granules);
}

bool AnyLaterKernelWrites() { return !later.empty(); }

bool KernelWritesUnknown() { return unknown; }

void RecheckKernelWrites(PageVec<PageHash> &pages) {
  if (!WatchingKernelWrites())
    return;
  // One request for pages that lie near each other.
  constexpr uptr kNear = 64 * kPageBytes;
  taken.clear();
  for (uptr i = 0, next; i < pages.size(); i = next) {
    uptr end = (pages[i].granule + 1) << shadow.unit_shift;
    for (next = i + 1; next < pages.size() &&
                       pages[next].granule << shadow.unit_shift <= end + kNear;
         ++next)
      end = (pages[next].granule + 1) << shadow.unit_shift;
    const uptr begin = pages[i].granule << shadow.unit_shift;
    unknown |= LookAtWritten(PageDown(begin), PageUp(end), taken) != 0;
  }
  UniteWritten(taken);
  ListGranules(taken, nullptr, granules);
  for (const GranuleRun &run : granules)
    ForPages(pages, run.granule, run.end(), MakeUnstable);
}

void AddKernelWrites(const PageVec<GranuleRange> *watch, PageSet &set) {
  if (!seen.empty())
    AddUnmarked(seen, watch, set);
}

void EndKernelWrites(bool is_cut, const PageSet &set) {
  if (is_cut)
    RemoveMarked(set, later);
  seen.clear();
}

} // namespace pagetide

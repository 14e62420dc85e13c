//===- checksums.cpp - The checksums of a period --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/checksums.h"

#include "cuts/shared_memory.h"
#include "cuts/stopped_threads.h"
#include "periods/merge_ascending.h"
#include "periods/settled.h"
#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/page_vec.h"

#include "sanitizer_common/sanitizer_stoptheworld.h"

namespace pagetide {

using namespace trace;

/// Tries of UnstablePolicy::kRehash after the first hashing.
constexpr int kRehashes = 3;

/// Flags of the granules that are hashed. Granules that may have been written,
/// and carried ones, count as written.
static u32 WantedFlags(ChecksumMode mode) {
  constexpr u32 kWritten =
      kRunWritten | kRunMayWritten | kRunCarried | kRunAccessed;
  return mode == ChecksumMode::kWritten ? kWritten
                                        : kWritten | kRunRead | kRunMayRead;
}

PAGETIDE_RECORDER_STATE static PageVec<GranuleRun> wanted;
PAGETIDE_RECORDER_STATE static MergeSpace<PageVec<GranuleRun>> wanted_space;

/// Appends a run, or joins it with the last one if it begins in that one or
/// right after it.
static void AppendWanted(PageVec<GranuleRun> &runs, uptr first,
                         const GranuleRun &run) {
  if (runs.size() == first || run.granule < runs.back().granule ||
      run.granule > runs.back().end()) {
    runs.push_back({run.granule, run.length, 0});
    return;
  }
  GranuleRun &last = runs.back();
  if (run.end() > last.end())
    last.length = run.end() - last.granule;
}

/// The wanted granules of all sections, each of which is sorted.
static void UniteSections(const PageSet &set, u32 flags) {
  wanted.clear();
  for (const Section &s : set.sections)
    for (uptr i = s.first; i < s.first + s.count; ++i)
      if (set.runs[i].flags & flags)
        AppendWanted(wanted, 0, set.runs[i]);
  MergeAscending(
      wanted, wanted_space,
      [](const GranuleRun &a, const GranuleRun &b) {
        return a.granule < b.granule;
      },
      AppendWanted);
}

PAGETIDE_RECORDER_STATE static PageVec<StagedWord> unsettled_words;
PAGETIDE_RECORDER_STATE static PageSet unsettled_set;

/// Makes the pages unstable that unsettled threads had marked as written. Both
/// lists are sorted.
static void ExcludeUnsettled(PageVec<PageHash> &pages) {
  BuildRuns(unsettled_words, nullptr, unsettled_set);
  uptr i = 0;
  for (const GranuleRun &run : unsettled_set.runs) {
    while (i < pages.size() && pages[i].granule < run.granule)
      ++i;
    for (; i < pages.size() && pages[i].granule < run.end(); ++i)
      pages[i].state = ChecksumState::kUnstable;
  }
}

static bool AnyUnstable(const PageVec<PageHash> &pages) {
  for (const PageHash &page : pages)
    if (page.state == ChecksumState::kUnstable)
      return true;
  return false;
}

PAGETIDE_RECORDER_STATE static PageVec<PageHash> again;

/// Copies the unstable pages to `again`, to be hashed once more.
static void TakeUnstable(const PageVec<PageHash> &pages) {
  again.clear();
  for (const PageHash &page : pages)
    if (page.state == ChecksumState::kUnstable)
      again.push_back({page.granule, 0, ChecksumState::kStable});
}

static void PutBack(PageVec<PageHash> &pages) {
  uptr i = 0;
  for (PageHash &page : pages)
    if (page.state == ChecksumState::kUnstable)
      page = again[i++];
}

/// Hashes the unstable pages once more. Takes marks first (into the open
/// period, where they belong), so that new writes show.
static bool Rehash(const Engine &engine, PageVec<PageHash> &pages) {
  TakeUnstable(pages);
  if (!engine.collect(false))
    return false;
  unsettled_words.clear();
  bool ok = CarryUnsettled(GetFlags().settle_wait, &unsettled_words);
  ExcludeUnsettled(again);
  HashPages(GetTidRaw(), again);
  engine.recheck(again, nullptr);
  PutBack(pages);
  return ok;
}

namespace {
struct StoppedHashing {
  u32 tid;
  bool done;
};
} // namespace

static void HashWhileStopped(const __sanitizer::SuspendedThreadsList &,
                             void *arg) {
  auto *job = (StoppedHashing *)arg;
  if (AnotherProcessRunsHere()) // nobody has stopped that
    for (PageHash &page : again)
      page.state = ChecksumState::kUnstable;
  else
    HashPages(job->tid, again);
  job->done = true;
}

/// Hashes the unstable pages while every other thread is stopped. No page
/// changes then while it is hashed.
static void HashStopped(PageVec<PageHash> &pages) {
  TakeUnstable(pages);
  StoppedHashing job = {GetTidRaw(), false};
  if (!BeginOwnStop())
    return; // they stay unstable
  __sanitizer::StopTheWorld(HashWhileStopped, &job);
  EndOwnStop();
  if (job.done) {
    PutBack(pages);
    return;
  }
  // The system forbids ptrace: the pages stay unstable.
  PAGETIDE_RECORDER_STATE static bool warned;
  if (!warned)
    Warning("option unstable=stop: the system forbids ptrace, so the threads "
            "cannot be stopped. Pages that are written while they are hashed "
            "have no checksum (unstable).\n");
  warned = true;
}

void ListWanted(const PageSet &set, ChecksumMode mode, ChecksumState state,
                PageVec<PageHash> &pages) {
  pages.clear();
  UniteSections(set, WantedFlags(mode));
  for (const GranuleRun &run : wanted)
    for (u64 granule = run.granule; granule < run.end(); ++granule)
      pages.push_back({granule, 0, state});
}

/// The state of pages that others may write. To hash them again is no use.
constexpr ChecksumState kSetApart = ChecksumState::kNone;

static void SetApart(PageHash &page) {
  if (page.state == ChecksumState::kStable ||
      page.state == ChecksumState::kUnstable)
    page = {page.granule, 0, kSetApart};
}

bool HashPeriod(const Engine &engine, ChecksumMode mode, UnstablePolicy policy,
                PeriodResult &result) {
  PageVec<PageHash> &pages = result.hashes;
  ListWanted(result.set, mode, ChecksumState::kStable, pages);

  if (engine.kept_memory) {
    HashPages(GetTidRaw(), pages, {.memory = engine.kept_memory()});
    result.combined = Combine(pages);
    return true;
  }
  unsettled_words.clear();
  bool ok = CarryUnsettled(GetFlags().settle_wait, &unsettled_words);
  ExcludeUnsettled(pages);
  HashPages(GetTidRaw(), pages);
  ForPagesOfOthers(pages, SetApart);
  engine.recheck(pages, nullptr);

  if (policy == UnstablePolicy::kRehash)
    for (int i = 0; i < kRehashes && ok && AnyUnstable(pages); ++i)
      ok = Rehash(engine, pages);
  if (policy == UnstablePolicy::kStop && AnyUnstable(pages))
    HashStopped(pages);
  for (PageHash &page : pages)
    if (page.state == kSetApart)
      page.state = ChecksumState::kUnstable;
  ForPagesOfOthers(pages, MakeUnstable); // of mappings that are new since
  result.combined = Combine(pages);
  return ok;
}

} // namespace pagetide

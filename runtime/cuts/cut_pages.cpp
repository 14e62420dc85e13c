//===- cut_pages.cpp - The pages of a cut ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/cut_pages.h"

#include "cuts/cut_workers.h"
#include "cuts/given_back.h"
#include "platform/fork_reset.h"

namespace pagetide {

namespace {
/// Pages that are read at once.
struct Batch {
  PageVec<PageHash> pages;
  PageVec<uptr> places; ///< of each in the list
};
} // namespace

PAGETIDE_RECORDER_STATE static PageVec<PageHash> merged;
/// What BeginReadUnread began, and what is read otherwise.
PAGETIDE_RECORDER_STATE static Batch early, rest;
PAGETIDE_RECORDER_STATE static bool has_begun;
PAGETIDE_RECORDER_STATE static PageVec<PageHash> just_read;
/// For each kBlockPages of the list whether one may be unread. While threads
/// stand, few of a long list are.
PAGETIDE_RECORDER_STATE static PageVec<u8> unread_blocks;
constexpr uptr kBlockPages = 256;
/// The recorder reads so few sooner than it wakes another.
constexpr uptr kFewToShare = 16;

void MakeUnread(PageVec<PageHash> &pages, u64 begin, u64 end) {
  ForPages(pages, begin, end, [&](PageHash &page) {
    page.state = kUnread;
    page.hash = 0;
    unread_blocks[(uptr)(&page - pages.data()) / kBlockPages] = true;
  });
}

void ExpectUnread(const PageVec<PageHash> &pages) {
  unread_blocks.clear();
  for (uptr i = 0; i < pages.size(); i += kBlockPages)
    unread_blocks.push_back(true);
}

/// Makes the granules of sorted runs unread. False if not all are listed.
static bool MakeAllUnread(PageVec<PageHash> &pages,
                          const PageVec<GranuleRun> &runs_to_read) {
  for (const GranuleRun &run : runs_to_read) {
    const uptr last = FirstPageAt(pages, run.granule) + run.length - 1;
    if (last >= pages.size() || pages[last].granule != run.end() - 1)
      return false;
    MakeUnread(pages, run.granule, run.end());
  }
  return true;
}

/// Adds the granules of sorted runs.
static void Merge(PageVec<PageHash> &pages, const PageVec<GranuleRun> &added) {
  merged.clear();
  uptr i = 0;
  for (const GranuleRun &run : added)
    for (u64 granule = run.granule; granule < run.end(); ++granule) {
      for (; i < pages.size() && pages[i].granule < granule; ++i)
        merged.push_back(pages[i]);
      merged.push_back({granule, 0, kUnread});
      if (i < pages.size() && pages[i].granule == granule)
        merged.back().copy = pages[i++].copy;
    }
  for (; i < pages.size(); ++i)
    merged.push_back(pages[i]);
  pages.swap(merged);
  ExpectUnread(pages);
}

void AddUnread(CutPages &cut, const PageVec<GranuleRun> &added) {
  // While threads stand, most are listed already.
  if (!MakeAllUnread(cut.pages, added))
    Merge(cut.pages, added);
  if (cut.copies)
    GivePlaces(*cut.copies, added, cut.pages);
}

/// Both sorted and disjoint.
static void MergePages(const PageVec<PageHash> &a, const PageVec<PageHash> &b,
                       PageVec<PageHash> &both) {
  both.clear();
  uptr i = 0;
  for (const PageHash &page : b) {
    for (; i < a.size() && a[i].granule < page.granule; ++i)
      both.push_back(a[i]);
    both.push_back(page);
  }
  for (; i < a.size(); ++i)
    both.push_back(a[i]);
}

/// Lists the unread pages, except those of sorted runs. They have state `then`
/// from here on.
static void ListUnread(CutPages &cut, const PageVec<GranuleRun> *except,
                       ChecksumState then, Batch &batch) {
  PageVec<PageHash> &pages = cut.pages;
  batch.pages.clear();
  batch.places.clear();
  uptr run = 0;
  for (uptr i = 0; i < pages.size(); ++i) {
    if (i % kBlockPages == 0) {
      if (!unread_blocks[i / kBlockPages]) {
        i += kBlockPages - 1;
        continue;
      }
      unread_blocks[i / kBlockPages] = false;
    }
    if (pages[i].state != kUnread)
      continue;
    const u64 granule = pages[i].granule;
    while (except && run < except->size() && (*except)[run].end() <= granule)
      ++run;
    if (except && run < except->size() && (*except)[run].granule <= granule) {
      unread_blocks[i / kBlockPages] = true;
      continue;
    }
    batch.places.push_back(i);
    batch.pages.push_back(
        {granule, 0, ChecksumState::kStable, 0, pages[i].copy});
    pages[i].state = then;
  }
}

static void BeginBatch(const CutPages &cut, Batch &batch) {
  BeginHashPages(GetTidRaw(), batch.pages,
                 {cut.hash, cut.copies ? cut.copies->request->bytes : nullptr},
                 batch.pages.size() > kFewToShare ? &kCutWorkers : nullptr);
}

static void FinishBatch(const CutPages &cut, Batch &batch) {
  FinishHashPages();
  if (cut.copies)
    CopyParts(*cut.copies, batch.pages);
}

static void ReadBatch(const CutPages &cut, Batch &batch) {
  BeginBatch(cut, batch);
  FinishBatch(cut, batch);
}

/// Puts the batch's pages into the list.
static void List(CutPages &cut, const Batch &batch) {
  for (uptr i = 0; i < batch.pages.size(); ++i)
    cut.pages[batch.places[i]] = batch.pages[i];
}

void ReadUnreadAhead(CutPages &cut, const PageVec<GranuleRun> *except) {
  ListUnread(cut, except, kUnread, rest);
  NotePresent(rest.pages, false);
  ReadBatch(cut, rest);
  NotePresent(rest.pages, cut.hash);
  List(cut, rest);
}

//===- While the threads stand --------------------------------------------===//

/// A page that BeginReadUnread began to read has this state. It may become
/// unread again.
constexpr ChecksumState kBeingRead = ChecksumState::kGone;

void BeginReadUnread(CutPages &cut) {
  has_begun = AreCutWorkersGathered();
  if (!has_begun)
    return;
  ListUnread(cut, nullptr, kBeingRead, early);
  BeginBatch(cut, early);
}

/// Waits for what was begun, and keeps in `early` those pages that did not
/// become unread again.
static void FinishEarly(CutPages &cut) {
  FinishBatch(cut, early);
  has_begun = false;
  uptr added = 0, kept = 0; // to the list since; of the batch
  for (uptr i = 0; i < early.pages.size(); ++i) {
    uptr place = early.places[i] + added;
    for (; cut.pages[place].granule != early.pages[i].granule; ++place)
      ++added;
    if (cut.pages[place].state != kBeingRead)
      continue;
    early.pages[kept] = early.pages[i];
    early.places[kept++] = place;
  }
  early.pages.resize(kept);
  early.places.resize(kept);
}

/// There is no time to ask which pages are present.
static void ListRead(CutPages &cut, Batch &batch) {
  ExpectPresent(batch.pages);
  List(cut, batch);
}

u64 ReadUnread(CutPages &cut) {
  just_read.clear();
  if (has_begun) {
    FinishEarly(cut);
    ListRead(cut, early);
    just_read.swap(early.pages);
  }
  ListUnread(cut, nullptr, kUnread, rest);
  ReadBatch(cut, rest);
  ListRead(cut, rest);
  if (!rest.pages.empty()) {
    MergePages(just_read, rest.pages, merged);
    just_read.swap(merged);
  }
  return just_read.size();
}

void GiveUpReadUnread(CutPages &cut) {
  if (!has_begun)
    return;
  FinishEarly(cut);
  for (const PageHash &page : early.pages)
    MakeUnread(cut.pages, page.granule, page.granule + 1);
}

PageVec<PageHash> &JustRead() { return just_read; }

} // namespace pagetide

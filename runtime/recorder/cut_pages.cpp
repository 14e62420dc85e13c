//===- cut_pages.cpp - The pages of a cut ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/cut_pages.h"

#include "platform/fork_reset.h"
#include "recorder/cut_workers.h"
#include "recorder/given_back.h"

namespace pagetide {

PAGETIDE_RECORDER_STATE static PageVec<PageHash> merged;
PAGETIDE_RECORDER_STATE static PageVec<PageHash> batch;
/// For each kBlockPages of the list whether one may be unread. While threads
/// stand, few of a long list are.
PAGETIDE_RECORDER_STATE static PageVec<u8> unread_blocks;
constexpr uptr kBlockPages = 256;
/// The recorder reads so few sooner than it wakes another.
constexpr uptr kFewToShare = 16;

PageVec<PageHash> &JustRead() { return batch; }

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

u64 ReadUnread(CutPages &cut, Reading reading,
               const PageVec<GranuleRun> *except) {
  PageVec<PageHash> &pages = cut.pages;
  PAGETIDE_RECORDER_STATE static PageVec<uptr> places; // of batch's pages
  batch.clear();
  places.clear();
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
    places.push_back(i);
    batch.push_back({granule, 0, ChecksumState::kStable, 0, pages[i].copy});
  }
  if (reading == Reading::kAhead)
    NotePresent(batch, false);
  else // there is no time to ask
    ExpectPresent(batch);
  HashPages(GetTidRaw(), batch,
            {cut.hash, cut.copies ? cut.copies->request->bytes : nullptr},
            batch.size() > kFewToShare ? ShareWork : nullptr);
  if (reading == Reading::kAhead)
    NotePresent(batch, cut.hash);
  if (cut.copies)
    CopyParts(*cut.copies, batch);
  for (uptr i = 0; i < batch.size(); ++i)
    pages[places[i]] = batch[i];
  return batch.size();
}

} // namespace pagetide

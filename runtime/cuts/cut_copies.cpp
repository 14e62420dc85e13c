//===- cut_copies.cpp - Copies of pages as they were at a cut -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/cut_copies.h"

#include "shadow/shadow.h"

#include <sys/syscall.h>
#include <sys/uio.h>

namespace pagetide {

static GranuleRange GranulesOf(const CopyRange &range) {
  const u32 shift = shadow.unit_shift;
  return {range.begin >> shift, ((range.end - 1) >> shift) + 1};
}

void ListRegions(const CopyRequest &request, PageVec<GranuleRange> &regions) {
  regions.clear();
  for (uptr i = 0; i < request.region_count; ++i) {
    const GranuleRange range = GranulesOf(request.regions[i]);
    if (!regions.empty() && regions.back().end >= range.begin)
      regions.back().end = range.end; // two regions in one granule
    else
      regions.push_back(range);
  }
}

void ListMore(const CopyRequest &request, PageVec<GranuleRun> &runs) {
  runs.clear();
  for (uptr i = 0; i < request.more_count; ++i) {
    const GranuleRange range = GranulesOf(request.more[i]);
    if (runs.empty() || runs.back().end() < range.begin)
      runs.push_back({range.begin, range.end - range.begin, 0});
    else if (runs.back().end() < range.end)
      runs.back().length = range.end - runs.back().granule;
  }
}

void GivePlaces(const CutCopies &copies, const PageVec<GranuleRun> &runs,
                PageVec<PageHash> &pages) {
  CopyRequest &request = *copies.request;
  WatchedGranules inside(&copies.regions);
  for (const GranuleRun &run : runs)
    for (uptr i = FirstPageAt(pages, run.granule);
         i < pages.size() && pages[i].granule < run.end(); ++i) {
      PageHash &page = pages[i];
      if (page.copy || !inside.Has(page.granule))
        continue;
      if (request.count < request.capacity) {
        request.addresses[request.count] = page.granule << shadow.unit_shift;
        page.copy = (u32)request.count + 1;
      }
      ++request.count;
    }
}

bool HavePlaces(const CutCopies &copies) {
  return copies.request->count <= copies.request->capacity;
}

/// Copies the part of a granule that a region has. False if it cannot be read.
static bool CopyPart(const CopyRequest &request, const CopyRange &region,
                     uptr granule, u8 *copy) {
  const uptr begin = region.begin > granule ? region.begin : granule;
  const uptr end = region.end < granule + request.granule
                       ? region.end
                       : granule + request.granule;
  if (begin >= end)
    return true;
  iovec local = {copy + (begin - granule), end - begin};
  iovec remote = {(void *)begin, end - begin};
  return Syscall(SYS_process_vm_readv, GetTidRaw(), (uptr)&local, 1,
                 (uptr)&remote, 1, 0) == end - begin;
}

void CopyParts(const CutCopies &copies, const PageVec<PageHash> &pages) {
  CopyRequest &request = *copies.request;
  for (const PageHash &page : pages) {
    if (!page.copy || (page.state != ChecksumState::kGone &&
                       page.state != ChecksumState::kUnreadable))
      continue;
    const uptr granule = page.granule << shadow.unit_shift;
    u8 *copy = request.bytes + (page.copy - 1) * request.granule;
    for (uptr i = 0; i < request.region_count; ++i)
      if (!CopyPart(request, request.regions[i], granule, copy))
        request.not_readable = granule;
  }
}

void Answer(const CutCopies &copies, const CutResult &cut) {
  CopyRequest &request = *copies.request;
  request.cut_ns = cut.at_ns;
  request.pause_ns = cut.pause_ns;
  request.no_cut = cut.why_not;
}

} // namespace pagetide

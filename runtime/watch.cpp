//===- watch.cpp - Regions to report
//----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "watch.h"

#include "pagetide/pagetide.h"
#include "shadow.h"

namespace pagetide {

using namespace shadow_file;

namespace {
struct Region {
  uptr begin, end; ///< bytes
};
} // namespace

static Lock lock;
static PageVec<Region> regions; ///< sorted, disjoint, not touching
static bool watching;           ///< even if no region is left

/// Puts the regions into the control block, as granules that overlap them,
/// where the recorder reads them and the harvester may.
static void Publish() {
  const u32 shift = shadow.module.granule_shift;
  u64 second = ~shadow.header->watch & kWatchSecondTable; // the one not in use
  WatchedRange *table = shadow.watch_tables[second ? 1 : 0];
  u64 count = 0;
  for (const Region &r : regions) {
    WatchedRange range = {r.begin >> shift, ((r.end - 1) >> shift) + 1};
    if (count && table[count - 1].end >= range.begin)
      table[count - 1].end = range.end;
    else
      table[count++] = range;
  }
  StoreRelease(&shadow.header->watch,
               watching ? kWatching | second | count : u64{0});
}

int Watch(uptr address, uptr bytes) {
  if (!bytes || !InShadowedRange(address, bytes))
    return PAGETIDE_INVALID;
  ScopedLock hold(lock);
  Region added = {address, address + bytes};
  PageVec<Region> result;
  for (const Region &r : regions) {
    if (r.end < added.begin) {
      result.push_back(r);
    } else if (r.begin <= added.end) { // overlaps or touches: one region
      added.begin = r.begin < added.begin ? r.begin : added.begin;
      added.end = r.end > added.end ? r.end : added.end;
    }
  }
  result.push_back(added);
  for (const Region &r : regions)
    if (r.begin > added.end)
      result.push_back(r);
  if (result.size() > kMaxWatched) {
    result.Free();
    return PAGETIDE_NO_MEMORY;
  }
  regions.Free();
  regions = result;
  watching = true;
  Publish();
  return PAGETIDE_OK;
}

int Unwatch(uptr address, uptr bytes) {
  bool all = !address && !bytes;
  if (!all && (!bytes || !InShadowedRange(address, bytes)))
    return PAGETIDE_INVALID;
  ScopedLock hold(lock);
  uptr begin = address, end = address + bytes;
  PageVec<Region> result;
  for (const Region &r : regions) {
    if (all)
      break;
    if (r.end <= begin || r.begin >= end) {
      result.push_back(r);
      continue;
    }
    if (r.begin < begin)
      result.push_back({r.begin, begin});
    if (r.end > end)
      result.push_back({end, r.end});
  }
  if (result.size() > kMaxWatched) { // a region cut in two
    result.Free();
    return PAGETIDE_NO_MEMORY;
  }
  regions.Free();
  regions = result;
  watching = watching && !all;
  Publish();
  return PAGETIDE_OK;
}

bool WatchedRegions(PageVec<GranuleRange> &ranges) {
  ranges.clear();
  LockWatch(); // on the recorder's thread, where signals are blocked
  u64 watch = shadow.header->watch;
  const WatchedRange *table =
      shadow.watch_tables[watch & kWatchSecondTable ? 1 : 0];
  for (u64 i = 0; i < (watch & ~(kWatching | kWatchSecondTable)); ++i)
    ranges.push_back({table[i].begin, table[i].end});
  UnlockWatch();
  return watch & kWatching;
}

void LockWatch() { lock.Acquire(); }
void UnlockWatch() { lock.Release(); }

void RenewWatchInChild() {
  lock.Reset();
  if (watching)
    Publish();
}

} // namespace pagetide

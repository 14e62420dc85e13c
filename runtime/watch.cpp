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

constexpr uptr kMostRegions = 65536;

namespace {
struct Region {
  uptr begin, end; ///< bytes
};
} // namespace

static Lock lock;
static PageVec<Region> regions; ///< sorted, disjoint, not touching
static bool watching;           ///< even if no region is left

int Watch(uptr address, uptr bytes) {
  if (!bytes || !InShadowedRange(address, bytes))
    return PAGETIDE_INVALID;
  ScopedLock hold(lock);
  if (regions.size() >= kMostRegions)
    return PAGETIDE_NO_MEMORY;
  watching = true;
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
  regions.Free();
  regions = result;
  return PAGETIDE_OK;
}

int Unwatch(uptr address, uptr bytes) {
  ScopedLock hold(lock);
  if (!address && !bytes) {
    regions.Free();
    watching = false;
    return PAGETIDE_OK;
  }
  if (!bytes || !InShadowedRange(address, bytes))
    return PAGETIDE_INVALID;
  uptr begin = address, end = address + bytes;
  PageVec<Region> result;
  for (const Region &r : regions) {
    if (r.end <= begin || r.begin >= end) {
      result.push_back(r);
      continue;
    }
    if (r.begin < begin)
      result.push_back({r.begin, begin});
    if (r.end > end)
      result.push_back({end, r.end});
  }
  regions.Free();
  regions = result;
  return PAGETIDE_OK;
}

bool WatchedRegions(PageVec<GranuleRange> &ranges) {
  const u32 shift = shadow.module.granule_shift;
  ScopedLock hold(lock);
  ranges.clear();
  for (const Region &r : regions) {
    GranuleRange range = {r.begin >> shift, ((r.end - 1) >> shift) + 1};
    if (!ranges.empty() && ranges.back().end >= range.begin)
      ranges.back().end = range.end;
    else
      ranges.push_back(range);
  }
  return watching;
}

void LockWatch() { lock.Acquire(); }
void UnlockWatch() { lock.Release(); }
void RenewWatchInChild() { lock.Reset(); }

} // namespace pagetide

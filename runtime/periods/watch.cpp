//===- watch.cpp - Regions to report --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/watch.h"

#include "pagetide/pagetide.h"
#include "platform/fork_reset.h"
#include "platform/internal_mem.h"
#include "platform/locks.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_common.h"

namespace pagetide {

using namespace shadow_file;

namespace {
struct Region {
  uptr begin, end; ///< bytes
};
} // namespace

PAGETIDE_ZERO_IN_CHILD static Lock lock;
static PageVec<Region> regions; ///< sorted, disjoint, not touching
static bool watching;           ///< even if no region is left

static u64 PublishedCount() {
  return shadow.header->watch & ~(kWatching | kWatchSecondTable);
}

/// Puts the granules that overlap the regions into the control block, into the
/// table that is not in use. The recorder and the harvester read them there.
static void Publish() {
  const u32 shift = shadow.unit_shift;
  u64 second = ~shadow.header->watch & kWatchSecondTable;
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

/// The same, if the last region is new and nothing else has changed: appends
/// its range to the table in use.
static bool PublishLast() {
  u64 watch = shadow.header->watch;
  u64 count = PublishedCount();
  if (!(watch & kWatching) || !count)
    return false;
  const u32 shift = shadow.unit_shift;
  const Region &r = regions.back();
  WatchedRange *table = shadow.watch_tables[watch & kWatchSecondTable ? 1 : 0];
  WatchedRange range = {r.begin >> shift, ((r.end - 1) >> shift) + 1};
  if (table[count - 1].end >= range.begin)
    return false;
  table[count] = range;
  StoreRelease(&shadow.header->watch, watch + 1);
  return true;
}

/// Index of the first region that ends at or after an address.
static uptr FirstEndingAt(uptr address) {
  return __sanitizer::InternalLowerBound(
      regions, address,
      [](const Region &region, uptr at) { return region.end < at; });
}

/// Replaces regions [first, last) by `count` others.
static void Replace(uptr first, uptr last, const Region *with, uptr count) {
  uptr tail = regions.size() - last;
  uptr old_size = regions.size();
  uptr size = first + count + tail;
  if (size > old_size)
    regions.resize(size);
  if (tail)
    InternalMemmove(&regions[first + count], &regions[last],
                    tail * sizeof(Region));
  regions.resize(size);
  for (uptr i = 0; i < count; ++i)
    regions[first + i] = with[i];
}

int Watch(uptr address, uptr bytes) {
  if (!bytes || !InShadowedRange(address, bytes))
    return PAGETIDE_INVALID;
  ScopedLock hold(lock);
  Region added = {address, address + bytes};
  // Regions that overlap or touch it are joined with it.
  uptr first = FirstEndingAt(added.begin), last = first;
  for (; last < regions.size() && regions[last].begin <= added.end; ++last) {
    const Region &r = regions[last];
    added.begin = r.begin < added.begin ? r.begin : added.begin;
    added.end = r.end > added.end ? r.end : added.end;
  }
  if (first == last && (regions.size() == kMaxWatched ||
                        !regions.TryReserve(regions.size() + 1)))
    return PAGETIDE_NO_MEMORY;
  bool appends = first == regions.size();
  Replace(first, last, &added, 1);
  watching = true;
  if (!appends || !PublishLast())
    Publish();
  return PAGETIDE_OK;
}

int Unwatch(uptr address, uptr bytes) {
  bool all = !address && !bytes;
  if (!all && (!bytes || !InShadowedRange(address, bytes)))
    return PAGETIDE_INVALID;
  ScopedLock hold(lock);
  if (all) {
    regions.clear();
    watching = false;
    Publish();
    return PAGETIDE_OK;
  }
  uptr begin = address, end = address + bytes;
  uptr first = FirstEndingAt(begin + 1), last = first;
  Region rest[2];
  uptr count = 0;
  for (; last < regions.size() && regions[last].begin < end; ++last) {
    const Region &r = regions[last];
    if (r.begin < begin)
      rest[count++] = {r.begin, begin};
    if (r.end > end)
      rest[count++] = {end, r.end};
  }
  uptr size = regions.size() - (last - first) + count;
  if (size > kMaxWatched || !regions.TryReserve(size))
    return PAGETIDE_NO_MEMORY; // a region is cut in two
  Replace(first, last, rest, count);
  Publish();
  return PAGETIDE_OK;
}

bool WatchedRegions(PageVec<GranuleRange> &ranges) {
  ranges.clear();
  for (;;) {
    const u64 wanted = PublishedCount();
    ranges.reserve(wanted); // before the lock is taken, because it may bail out
    LockWatch(); // on the recorder's thread, where signals are blocked
    if (PublishedCount() <= wanted)
      break;
    UnlockWatch();
  }
  u64 watch = shadow.header->watch;
  const WatchedRange *table =
      shadow.watch_tables[watch & kWatchSecondTable ? 1 : 0];
  for (u64 i = 0; i < PublishedCount(); ++i)
    ranges.push_back({table[i].begin, table[i].end});
  UnlockWatch();
  return watch & kWatching;
}

void LockWatch() { lock.Acquire(); }
void UnlockWatch() { lock.Release(); }

void RepublishWatch() {
  ScopedLock hold(lock);
  if (watching)
    Publish();
}

void RenewWatchInChild() {
  if (watching)
    Publish();
}

} // namespace pagetide

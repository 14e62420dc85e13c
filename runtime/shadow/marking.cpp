//===- marking.cpp - Marks that the runtime makes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow/marking.h"

#include "shadow/call_sites.h"

namespace pagetide {

/// Calls store(index of the granule's first cells) for each granule.
template <typename StoreFn>
static inline void ForEachGranule(uptr address, uptr bytes, StoreFn store) {
  if (!ShadowReady() || !bytes || !InShadowedRange(address, bytes))
    return;
  uptr last = GranuleOf(address + bytes - 1);
  for (uptr granule = GranuleOf(address); granule <= last; ++granule)
    store(CellIndexOf(granule));
}

/// Makes certain marks. offset_of(index) is the cell's place.
template <typename OffsetFn>
__attribute__((noinline)) static void MarkLong(uptr address, uptr bytes,
                                               OffsetFn offset_of) {
  if (shadow.with_sites) {
    const u32 site = SiteOfCaller();
    ForEachGranule(address, bytes,
                   [=](uptr index) { StoreSite(offset_of(index), site); });
    return;
  }
  ForEachGranule(address, bytes, [=](uptr index) {
    StoreCell(offset_of(index), abi::kCellMarked);
  });
}

/// Makes the certain marks of a short range, which name sites. False if the
/// range is not short, if marks name no sites, or if the site is not at hand.
static inline bool MarkShortSites(uptr address, uptr bytes, u8 cell) {
  if (!shadow.with_sites || !ShadowReady() ||
      !IsShort(address, bytes, uptr{1} << shadow.granule_shift))
    return false;
  const u32 site = KnownSiteOfCaller();
  if (!site)
    return false;
  MarkEnds(address, bytes, cell, [=](uptr offset) { StoreSite(offset, site); });
  return true;
}

/// The same for possible ones. Only if empty: a signal handler may make a
/// certain mark in between.
template <typename OffsetFn>
static inline void MarkMay(uptr address, uptr bytes, OffsetFn offset_of) {
  if (shadow.with_sites) {
    const u32 site = SiteOfCaller() | abi::kSiteMay;
    ForEachGranule(address, bytes, [=](uptr index) {
      StoreSiteIfEmpty(offset_of(index), site);
    });
    return;
  }
  ForEachGranule(address, bytes, [=](uptr index) {
    StoreCellIfEmpty(offset_of(index), abi::kCellMay);
  });
}

void MarkLongRead(uptr address, uptr bytes) {
  if (!MarkShortSites(address, bytes, shadow.short_marks.read_cell) &&
      abi::records_reads(shadow.layout))
    MarkLong(address, bytes, ReadCellOffset);
}

void MarkLongWrite(uptr address, uptr bytes) {
  if (!MarkShortSites(address, bytes, shadow.short_marks.write_cell))
    MarkLong(address, bytes, WriteCellOffset);
}

void MarkMayRead(uptr address, uptr bytes) {
  if (abi::records_reads(shadow.layout))
    MarkMay(address, bytes, ReadCellOffset);
}

void MarkMayWrite(uptr address, uptr bytes) {
  MarkMay(address, bytes, WriteCellOffset);
}

} // namespace pagetide

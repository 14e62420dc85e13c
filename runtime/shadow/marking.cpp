//===- marking.cpp - Marks that the runtime makes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/marking.h"

#include "shadow/call_sites.h"

namespace pagetide {

/// Calls store(index of the granule's first cells) for each granule.
template <typename StoreFn>
static inline void ForEachGranule(uptr address, uptr bytes, StoreFn store) {
  if (!__atomic_load_n(&shadow.marking, __ATOMIC_ACQUIRE) || !bytes ||
      !InShadowedRange(address, bytes))
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

/// The certain marks of a short range, which name a site.
static inline void MarkSite(uptr address, uptr bytes, u8 cell, u32 site) {
  MarkEnds(address, bytes, cell, [=](uptr offset) { StoreSite(offset, site); });
}

/// The site of short ranges. 0 if they are not short, if marks name no sites,
/// or if the site is not at hand.
static inline u32 SiteOfShort(uptr a, uptr b, uptr bytes) {
  return AreShort(a, b, bytes, shadow.short_marks.site_bytes)
             ? KnownSiteOfCaller()
             : 0;
}

/// Makes possible marks. Only if empty: a signal handler may make a
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
  if (const u32 site = SiteOfShort(address, address, bytes))
    MarkSite(address, bytes, shadow.short_marks.read_cell, site);
  else if (abi::records_reads(shadow.layout))
    MarkLong(address, bytes, ReadCellOffset);
}

/// A function of its own, so that the one below needs no stack.
__attribute__((noinline)) static void MarkReadOfEach(uptr a, uptr b,
                                                     uptr bytes) {
  MarkLongRead(a, bytes);
  MarkLongRead(b, bytes);
}

void MarkLongReads(uptr a, uptr b, uptr bytes) {
  if (const u32 site = SiteOfShort(a, b, bytes)) {
    MarkSite(a, bytes, shadow.short_marks.read_cell, site);
    MarkSite(b, bytes, shadow.short_marks.read_cell, site);
  } else {
    MarkReadOfEach(a, b, bytes);
  }
}

void MarkLongWrite(uptr address, uptr bytes) {
  if (const u32 site = SiteOfShort(address, address, bytes))
    MarkSite(address, bytes, shadow.short_marks.write_cell, site);
  else
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

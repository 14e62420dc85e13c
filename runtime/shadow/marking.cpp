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
static inline void MarkLong(uptr address, uptr bytes, OffsetFn offset_of) {
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
  if (abi::records_reads(shadow.layout))
    MarkLong(address, bytes, ReadCellOffset);
}

void MarkLongWrite(uptr address, uptr bytes) {
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

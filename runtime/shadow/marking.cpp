//===- marking.cpp - Marks that the runtime makes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow/marking.h"

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

void MarkLongRead(uptr address, uptr bytes) {
  if (!abi::records_reads(shadow.layout))
    return;
  ForEachGranule(address, bytes, [](uptr index) {
    StoreCell(ReadCellOffset(index), abi::kCellMarked);
  });
}

void MarkLongWrite(uptr address, uptr bytes) {
  ForEachGranule(address, bytes, [](uptr index) {
    StoreCell(WriteCellOffset(index), abi::kCellMarked);
  });
}

void MarkMayRead(uptr address, uptr bytes) {
  if (!abi::records_reads(shadow.layout))
    return;
  ForEachGranule(address, bytes, [](uptr index) {
    StoreCellIfEmpty(ReadCellOffset(index), abi::kCellMay);
  });
}

void MarkMayWrite(uptr address, uptr bytes) {
  ForEachGranule(address, bytes, [](uptr index) {
    // Only if empty: a signal handler may make a certain mark in between.
    StoreCellIfEmpty(WriteCellOffset(index), abi::kCellMay);
  });
}

} // namespace pagetide

//===- marking.h - Marks that the runtime makes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "arch/shadow_base.h"
#include "shadow/shadow.h"

namespace pagetide {

/// MarkRead, MarkReads and MarkWrite of any range.
void MarkLongRead(uptr address, uptr bytes);
void MarkLongReads(uptr a, uptr b, uptr bytes);
void MarkLongWrite(uptr address, uptr bytes);

/// Two ranges are not empty, not longer than `most`, and within the shadow.
inline bool AreShort(uptr a, uptr b, uptr bytes, uptr most) {
  const uptr bits = a | (a + bytes) | b | (b + bytes);
  return __builtin_expect(bytes - 1 < most && !(bits >> abi::kAddressBits), 1);
}
inline bool IsShort(uptr address, uptr bytes, uptr most) {
  return AreShort(address, address, bytes, most);
}
/// Calls store(offset) for the cell of the first byte, and for that of the last
/// byte if it is another one. A second mark in one cell could get into the next
/// period's set.
template <typename StoreFn>
inline void StoreEnds(uptr first_offset, uptr last_offset, StoreFn store) {
  store(first_offset);
  if (last_offset != first_offset)
    store(last_offset);
}
inline void StoreMarked(uptr offset) { StoreCell(offset, abi::kCellMarked); }
template <typename StoreFn>
inline void MarkEnds(uptr address, uptr bytes, u8 cell, StoreFn store) {
  const ShortMarks &marks = shadow.short_marks;
  const uptr last = address + (bytes - 1);
  StoreEnds((address >> marks.shift & marks.mask) + cell,
            (last >> marks.shift & marks.mask) + cell, store);
}

/// Marks [address, address+bytes) in the calling thread's shadow. Ignores
/// ranges that no shadow covers: the access itself will fault. Does nothing if
/// there is no shadow. Async-signal-safe.
inline void MarkRead(uptr address, uptr bytes) {
  if (IsShort(address, bytes, shadow.short_marks.read_bytes))
    MarkEnds(address, bytes, shadow.short_marks.read_cell, StoreMarked);
  else
    MarkLongRead(address, bytes);
}
/// MarkRead of two ranges of one length.
inline void MarkReads(uptr a, uptr b, uptr bytes) {
  const ShortMarks &marks = shadow.short_marks;
  if (AreShort(a, b, bytes, marks.read_bytes)) {
    MarkEnds(a, bytes, marks.read_cell, StoreMarked);
    MarkEnds(b, bytes, marks.read_cell, StoreMarked);
  } else {
    MarkLongReads(a, b, bytes);
  }
}
inline void MarkWrite(uptr address, uptr bytes) {
  if (IsShort(address, bytes, shadow.short_marks.write_bytes))
    MarkEnds(address, bytes, shadow.short_marks.write_cell, StoreMarked);
  else
    MarkLongWrite(address, bytes);
}
/// For what a failed call may have touched. These marks are made only in empty
/// cells.
void MarkMayRead(uptr address, uptr bytes);
void MarkMayWrite(uptr address, uptr bytes);

} // namespace pagetide

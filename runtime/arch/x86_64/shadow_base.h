//===- shadow_base.h - The shadow's base is the GS segment base -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

inline void StoreCell(uptr offset, u8 value) {
  *(volatile u8 __seg_gs *)(offset + abi::kShadowBias) = value;
}
inline u8 LoadCell(uptr offset) {
  return *(volatile u8 __seg_gs *)(offset + abi::kShadowBias);
}
inline void StoreCellIfEmpty(uptr offset, u8 value) {
  if (LoadCell(offset) != abi::kCellEmpty)
    return;
  u8 expected = abi::kCellEmpty;
  asm volatile("lock cmpxchgb %2, %%gs:(%1)"
               : "+a"(expected)
               : "r"(offset + abi::kShadowBias), "q"(value)
               : "memory", "cc");
}

inline void StoreSite(uptr offset, u32 site) {
  *(volatile u32 __seg_gs *)(offset + abi::kShadowBias) = site;
}
inline u32 LoadSite(uptr offset) {
  return *(volatile u32 __seg_gs *)(offset + abi::kShadowBias);
}
inline void StoreSiteIfEmpty(uptr offset, u32 site) {
  if (LoadSite(offset))
    return;
  u32 expected = 0;
  asm volatile("lock cmpxchgl %2, %%gs:(%1)"
               : "+a"(expected)
               : "r"(offset + abi::kShadowBias), "r"(site)
               : "memory", "cc");
}

} // namespace pagetide

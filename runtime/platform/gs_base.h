//===- gs_base.h - The base register of the shadow ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x86-64 only: the shadow's base is the GS segment base. Another processor
// would keep it in thread-local storage behind the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_GS_BASE_H
#define PAGETIDE_RUNTIME_PLATFORM_GS_BASE_H

#include "pagetide/abi.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Learns whether `wrgsbase` may be used (Linux 5.9, AT_HWCAP2): it takes 15
/// ns, arch_prctl takes 300. Call once before SetShadowBase.
void InitBaseRegister();
/// 0 if nobody has set it, or if the shadow lies at kShadowBias.
uptr GetGsBase();
/// Where the calling thread's shadow lies, if it has one.
inline uptr GetShadowBase() { return GetGsBase() + abi::kShadowBias; }
/// Async-signal-safe. Affects only the calling thread; new threads inherit it.
void SetShadowBase(uptr base);

/// Stores a cell of the calling thread's shadow: what a mark does.
inline void StoreCell(uptr offset, u8 value) {
  *(volatile u8 __seg_gs *)(offset + abi::kShadowBias) = value;
}
inline u8 LoadCell(uptr offset) {
  return *(volatile u8 __seg_gs *)(offset + abi::kShadowBias);
}
inline void StoreCellIfEmpty(uptr offset, u8 value) {
  // The cell holds a mark. The boundary that would take ours takes that one.
  if (LoadCell(offset) != abi::kCellEmpty)
    return;
  u8 expected = abi::kCellEmpty;
  asm volatile("lock cmpxchgb %2, %%gs:(%1)"
               : "+a"(expected)
               : "r"(offset + abi::kShadowBias), "q"(value)
               : "memory", "cc");
}

/// The same for cells that hold ids of sites.
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

#endif // PAGETIDE_RUNTIME_PLATFORM_GS_BASE_H

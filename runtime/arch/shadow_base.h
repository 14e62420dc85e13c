//===- shadow_base.h - The base of the shadow, and its cells --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "arch/syscall.h"
#include "pagetide/abi.h"

namespace pagetide {

/// Learns how the base is set. Call once before SetShadowBase.
void InitBaseRegister();
/// Less kShadowBias: 0 if nobody has set it, or if the shadow lies there.
uptr GetBaseRegister();
/// Where the calling thread's shadow lies, if it has one.
inline uptr GetShadowBase() { return GetBaseRegister() + abi::kShadowBias; }
/// Async-signal-safe. Affects only the calling thread; new threads inherit it.
void SetShadowBase(uptr base);

/// Stores a cell of the calling thread's shadow: what a mark does.
inline void StoreCell(uptr offset, u8 value);
inline u8 LoadCell(uptr offset);
/// The cell of a mark that is there stays: the boundary that would take ours
/// takes that one.
inline void StoreCellIfEmpty(uptr offset, u8 value);

/// The same for cells that hold ids of sites.
inline void StoreSite(uptr offset, u32 site);
inline u32 LoadSite(uptr offset);
inline void StoreSiteIfEmpty(uptr offset, u32 site);

} // namespace pagetide

#include "arch/x86_64/shadow_base.h" // IWYU pragma: export

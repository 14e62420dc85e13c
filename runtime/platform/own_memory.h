//===- own_memory.h - The runtime's own memory ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime keeps a list of all memory that it maps for itself, for two
// reasons. The kernel merges this memory with the program's if they touch, so
// that its list of mappings does not tell them apart. And a forked child has a
// copy of what its parent's raw threads had mapped, but not the threads.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Anonymous private memory, not reserved; null on failure. Kept out of core
/// dumps unless `dump` is true. It belongs to the raw threads (raw_thread.h) if
/// one of them calls, otherwise to the process.
void *MapAnonymous(uptr bytes, bool dump = true);
/// The same for a thread that is about to start; not in core dumps.
void *MapForRawThread(uptr bytes);
void Unmap(void *p, uptr bytes);

/// Grows a block of MapAnonymous memory to hold `want` bytes; null when memory
/// ran out.
void *GrowPages(void *p, uptr old_bytes, uptr want, uptr *new_bytes);

struct AddressRange {
  uptr begin, end;
};

/// If the list has more ranges it is incomplete; there are some dozens.
constexpr uptr kMaxOwnRanges = 1024;
/// Copies the list to `ranges`, of kMaxOwnRanges. Returns their number.
uptr CopyOwnMemory(AddressRange *ranges);

/// Sets `ranges` to the memory that functions above have mapped and Unmap has
/// not unmapped, in no order. It is complete for what was mapped when the call
/// began.
template <typename List> void ListOwnMemory(List &ranges) {
  ranges.resize(kMaxOwnRanges);
  ranges.resize(CopyOwnMemory(ranges.data()));
}

/// In a forked child: unmaps what belonged to its parent's raw threads.
void UnmapMemoryOfRawThreads();

} // namespace pagetide

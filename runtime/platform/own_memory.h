//===- own_memory.h - The runtime's own memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_OWN_MEMORY_H
#define PAGETIDE_RUNTIME_PLATFORM_OWN_MEMORY_H

#include "platform/syscalls.h"

namespace pagetide {

/// Anonymous private memory, not reserved; null on failure. Kept out of core
/// dumps where `dump` is false.
void *MapAnonymous(uptr bytes, bool dump = true);
void Unmap(void *p, uptr bytes);

struct AddressRange {
  uptr begin, end;
};

/// Grows a block of MapAnonymous memory to hold `want` bytes; null when memory
/// ran out.
void *GrowPages(void *p, uptr old_bytes, uptr want, uptr *new_bytes);

/// Beyond so many ranges the list is incomplete; there are some dozens.
constexpr uptr kMaxOwnRanges = 1024;
/// Copies the list below to `ranges`, of kMaxOwnRanges. Returns their number.
uptr CopyOwnMemory(AddressRange *ranges);

/// The runtime's own memory: what MapAnonymous and GrowPages gave and Unmap has
/// not taken back, in no order; complete for what was mapped when this was
/// called. The kernel merges it with the program's where they touch, so that
/// its list of mappings does not tell.
template <typename List> void ListOwnMemory(List &ranges) {
  ranges.resize(kMaxOwnRanges);
  ranges.resize(CopyOwnMemory(ranges.data()));
}
/// In a forked child: whoever was changing the list is not there.
void RenewOwnMemoryInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_OWN_MEMORY_H

//===- sharing_threads.cpp - Threads without a shadow of their own --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/sharing_threads.h"

#include "platform/fork_reset.h"

#include <errno.h>
#include <sys/syscall.h>

namespace pagetide {

using shadow_file::kFallbackSlot;

static PlaceTable<SharingThread, &SharingThread::slot> table;
PAGETIDE_ZERO_IN_CHILD static u32 shared_slots;
PAGETIDE_ZERO_IN_CHILD static u32 shared_by_process;

SharingThread &SharingThreadAt(u32 place) { return table.At(place); }

u32 SharingPlaces() { return table.End(); }

void SetSharedSlots(u32 mapped) { StoreRelease(&shared_slots, mapped); }

GroupOfPlaces PlacesOfGroup(u32 slot) {
  const u32 slots = LoadAcquire(&shared_slots);
  return slots && slot != kFallbackSlot
             ? GroupOfPlaces(slot - shadow.first_shared, slots)
             : GroupOfPlaces(0, 1);
}

u32 BeginSharing(u32 tid) {
  const u32 place = table.Take();
  if (place == kNoPlace)
    return kNoPlace;
  SharingThread &thread = SharingThreadAt(place);
  thread.inflight_call = 0;
  for (InFlightRange &range : thread.inflight)
    range.bytes = 0;
  const u32 slots = LoadAcquire(&shared_slots);
  thread.slot = slots ? shadow.first_shared + GroupOfPlaces::Of(place, slots)
                      : kFallbackSlot;
  StoreRelease(&thread.tid, tid);
  return place;
}

void EndSharing(u32 place, u32 tid) {
  SharingThread &thread = SharingThreadAt(place);
  if (!__atomic_compare_exchange_n(&thread.tid, &tid, 0, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  for (InFlightRange &range : thread.inflight)
    StoreRelease(&range.bytes, 0);
  table.Give(place);
}

void EndSharingOfDeadThreads() {
  constexpr u32 kLooks = 512;
  static u32 next;
  const u32 all = SharingPlaces();
  for (u32 look = 0; look < kLooks && look < all; ++look) {
    next = next + 1 < all ? next + 1 : 0;
    const u32 tid = LoadAcquire(&SharingThreadAt(next).tid);
    // By its number alone: clones may be processes of their own.
    if (tid && ErrnoOf(Syscall(SYS_tkill, tid, 0)) == ESRCH)
      EndSharing(next, tid);
  }
}

void NoteSharedByProcess() { StoreRelease(&shared_by_process, 1); }
bool SharedByProcess() { return LoadAcquire(&shared_by_process); }

void RenewSharingInChild() {
  for (u32 place = 0; place < table.End(); ++place)
    table.At(place).tid = 0;
  table.Reset();
}

} // namespace pagetide

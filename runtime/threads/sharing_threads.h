//===- sharing_threads.h - Threads without a shadow of their own ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the slots run out, further threads form groups. A group marks into one
// of the shared slots, or into the fallback slot if there are none. The
// recorder must know who is in a group: what a shared slot says is settled once
// every thread of the group has settled.
//
// Each such thread has a place in a table that takes no lock. So a thread
// begins and ends in the same few instructions however many there are, and
// whatever the recorder does.

#pragma once

#include "shadow/shadow.h"
#include "threads/group_of_places.h"
#include "threads/place_table.h"

namespace pagetide {

struct alignas(64) SharingThread {
  u32 tid;  ///< 0: the place is free
  u32 slot; ///< where the thread marks; of a free place, the next free one
  /// As in SlotEntry.
  std::uint64_t inflight_call;
  InFlightRange inflight[shadow_file::kInFlightKinds];
};
static_assert(sizeof(SharingThread) == 64);

/// Gives the calling thread a place, or kNoPlace. Until its EndSharing it is in
/// the group of that place. Call it before the thread marks there.
u32 BeginSharing(u32 tid);
/// The thread of this place marks there no more. The thread and the recorder,
/// which finds it gone, may both call this. `tid` is the thread's.
void EndSharing(u32 place, u32 tid);

SharingThread &SharingThreadAt(u32 place);
/// All places ever used are below this.
u32 SharingPlaces();
/// Ends the sharing of threads that ended by the bare exit system call: looks
/// at the next few places in each call.
void EndSharingOfDeadThreads();

/// The places of a slot's group.
GroupOfPlaces PlacesOfGroup(u32 slot);

/// Calls visit(place, thread) for each thread of a slot's group.
template <typename Visit> void ForEachSharing(u32 slot, Visit visit) {
  const u32 end = SharingPlaces();
  const GroupOfPlaces group = PlacesOfGroup(slot);
  for (u32 place = group.First(); place < end; place = group.After(place)) {
    SharingThread &thread = SharingThreadAt(place);
    if (LoadAcquire(&thread.tid) && thread.slot == slot)
      visit(place, thread);
  }
}

/// A process of its own, made by clone with this memory, shares a slot: its
/// thread is none of this process's.
void NoteSharedByProcess();
bool SharedByProcess();

/// The shared slots are mapped, or as many of them as there was room for.
void SetSharedSlots(u32 mapped);

void RenewSharingInChild();

} // namespace pagetide

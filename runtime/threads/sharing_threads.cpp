//===- sharing_threads.cpp - Threads without a shadow of their own --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "threads/sharing_threads.h"

#include "platform/own_memory.h"

#include <errno.h>
#include <sys/syscall.h>

namespace pagetide {

using shadow_file::kFallbackSlot;

/// Block number b has kFirstBlock << b places.
constexpr u32 kFirstBlock = 1024;
/// More places than Linux can have threads (2^22).
constexpr u32 kBlocks = 13;

static SharingThread *blocks[kBlocks];
/// Places that were ever taken.
static u32 places;
/// The free places are a stack. This is its top: the place plus one, 0 if there
/// is none, and above 32 bits a number that each change raises. Without it a
/// place that was taken and given back meanwhile would look untouched.
static u64 free_top;
static u32 shared_slots;
static u32 shared_by_process;

static u32 BlockOf(u32 place) {
  return 31 - (u32)__builtin_clz(place / kFirstBlock + 1);
}

static u64 BytesOfBlock(u32 block) {
  return (u64{kFirstBlock} << block) * sizeof(SharingThread);
}

SharingThread &SharingThreadAt(u32 place) {
  const u32 block = BlockOf(place);
  return LoadAcquire(&blocks[block])[place - kFirstBlock * ((1u << block) - 1)];
}

u32 SharingPlaces() { return LoadAcquire(&places); }

void SetSharedSlots(u32 mapped) { StoreRelease(&shared_slots, mapped); }

GroupPlaces PlacesOfGroup(u32 slot) {
  const u32 slots = LoadAcquire(&shared_slots);
  return slots && slot != kFallbackSlot
             ? GroupPlaces{slot - shadow.first_shared, slots}
             : GroupPlaces{0, 1};
}

static bool HaveBlock(u32 block) {
  if (block >= kBlocks)
    return false;
  if (LoadAcquire(&blocks[block]))
    return true;
  auto *made = (SharingThread *)MapAnonymous(BytesOfBlock(block));
  SharingThread *none = nullptr;
  if (made && !__atomic_compare_exchange_n(&blocks[block], &none, made, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    Unmap(made, BytesOfBlock(block)); // another thread was first
  return made;
}

static u32 TakeFreePlace() {
  u64 top = LoadAcquire(&free_top);
  while ((u32)top) {
    const u32 place = (u32)top - 1;
    const u32 next =
        __atomic_load_n(&SharingThreadAt(place).slot, __ATOMIC_RELAXED);
    const u64 without = ((top >> 32) + 1) << 32 | next;
    if (__atomic_compare_exchange_n(&free_top, &top, without, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return place;
  }
  return kNoPlace;
}

static u32 TakeNewPlace() {
  u32 place = LoadAcquire(&places);
  do
    if (!HaveBlock(BlockOf(place)))
      return kNoPlace;
  while (!__atomic_compare_exchange_n(&places, &place, place + 1, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return place;
}

u32 BeginSharing(u32 tid) {
  u32 place = TakeFreePlace();
  if (place == kNoPlace)
    place = TakeNewPlace();
  if (place == kNoPlace)
    return kNoPlace;
  SharingThread &thread = SharingThreadAt(place);
  thread.inflight_call = 0;
  for (InFlightRange &range : thread.inflight)
    range.bytes = 0;
  const u32 slots = LoadAcquire(&shared_slots);
  thread.slot = slots ? shadow.first_shared + place % slots : kFallbackSlot;
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
  u64 top = LoadAcquire(&free_top), with;
  do {
    __atomic_store_n(&thread.slot, (u32)top, __ATOMIC_RELAXED);
    with = ((top >> 32) + 1) << 32 | (place + 1);
  } while (!__atomic_compare_exchange_n(&free_top, &top, with, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
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
  for (u32 place = 0; place < places; ++place)
    SharingThreadAt(place).tid = 0;
  places = 0;
  free_top = 0;
  shared_slots = shared_by_process = 0;
}

} // namespace pagetide

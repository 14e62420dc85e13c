//===- slots.cpp - Slots of shadow, and which thread has which ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/slots.h"

#include "arch/shadow_base.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"

#include <errno.h>
#include <sys/syscall.h>

namespace pagetide {

using shadow_file::kFallbackSlot;
using shadow_file::kMaxSlots;

constinit thread_local ThreadSelf self = {};

PAGETIDE_ZERO_IN_CHILD static Lock slots_lock;
static u32 free_slots[kMaxSlots];
PAGETIDE_ZERO_IN_CHILD static u32 free_count;
PAGETIDE_ZERO_IN_CHILD static u32 retired_count;
/// Not 0 if threads may share thread-local storage: `self` does not tell them
/// apart.
PAGETIDE_ZERO_IN_CHILD static u32 shared_storage;
/// Not 0 if unregistered threads may use slots of others.
PAGETIDE_ZERO_IN_CHILD static u32 unregistered_threads;
/// Registered threads that are on the fallback slot.
PAGETIDE_ZERO_IN_CHILD static u32 fallback_threads;

/// Threads whose slots other threads have now. For us and for pthread_join they
/// have ended, but the kernel may still list them for a while.
PAGETIDE_ZERO_IN_CHILD static u32 former_threads[1024];
PAGETIDE_ZERO_IN_CHILD static u32 former_count;

static void NoteFormerThread(u32 tid) {
  constexpr u32 kPlaces = sizeof(former_threads) / sizeof(former_threads[0]);
  const u32 place = __atomic_fetch_add(&former_count, 1, __ATOMIC_RELAXED);
  StoreRelease(&former_threads[place % kPlaces], tid);
}

//===- The calling thread -------------------------------------------------===//

u32 CurrentSlot() {
  const u32 known = self.slot_plus_one;
  if (known && !LoadAcquire(&shared_storage))
    return known - 1;
  uptr base = GetShadowBase();
  if (known && (base == shadow.slot_base[known - 1] || base == ScratchShadow()))
    return known - 1;
  if (const u32 place = self.place_plus_one)
    if (base == shadow.slot_base[SharingThreadAt(place - 1).slot])
      return kFallbackSlot;
  for (u32 i = 0; i < shadow.header->slot_high; ++i)
    if (shadow.slot_base[i] == base) {
      const u32 slot = i < shadow.first_shared ? i : kFallbackSlot;
      self.slot_plus_one = slot + 1;
      return slot;
    }
  return kFallbackSlot;
}

bool SharesSlot(u32 slot) {
  return LoadAcquire(&unregistered_threads) &&
         shadow.slots[slot].tid != GetTidRaw();
}

bool ExpectsUnregisteredThreads() { return LoadAcquire(&unregistered_threads); }
void ExpectUnregisteredThreads() { StoreRelease(&unregistered_threads, 1); }

void NoteSharedStorage() { StoreRelease(&shared_storage, 1); }
bool StorageIsShared() { return LoadAcquire(&shared_storage); }

//===- Use of slots -------------------------------------------------------===//

u32 BeginOnSlot(u32 slot, const ThreadIds &ids) {
  if (slot != kFallbackSlot) {
    SetShadowBase(shadow.slot_base[slot]);
    if (u32 former = shadow.slots[slot].tid)
      NoteFormerThread(former);
    BeginSlot(slot, ids);
    return kNoPlace;
  }
  if (!LoadAcquire(&shadow.slot_base[kFallbackSlot]))
    return kNoPlace;
  const u32 place = BeginSharing(ids.tid);
  SetShadowBase(
      shadow.slot_base[place == kNoPlace ? kFallbackSlot
                                         : SharingThreadAt(place).slot]);
  return place;
}

void EnterSlot(u32 slot, const ThreadIds &ids) {
  const u32 place = BeginOnSlot(slot, ids);
  if (slot == kFallbackSlot) {
    if (!shadow.slot_base[kFallbackSlot])
      return;
    __atomic_fetch_add(&fallback_threads, 1, __ATOMIC_RELAXED);
  }
  self.place_plus_one = place + 1;
  self.slot_plus_one = slot + 1;
}

SharingThread *CurrentSharing() {
  if (!self.place_plus_one)
    return nullptr;
  SharingThread &thread = SharingThreadAt(self.place_plus_one - 1);
  const bool may_be_anothers =
      StorageIsShared() || LoadAcquire(&unregistered_threads);
  return may_be_anothers && thread.tid != GetTidRaw() ? nullptr : &thread;
}

uptr OwnShadowBase() {
  const u32 slot = CurrentSlot();
  const SharingThread *sharing =
      slot == kFallbackSlot ? CurrentSharing() : nullptr;
  return shadow.slot_base[sharing ? sharing->slot : slot];
}

/// A handler that interrupts this marks in either slot. Both are whole until
/// the caller goes on. What a handler suspends and resumes is what `self` says.
static void MoveToFallbackSlot() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (!self.suspended) // otherwise its marks stay suspended
    SetShadowBase(shadow.slot_base[kFallbackSlot]);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void EndOnOwnSlot(u32 slot) {
  self.slot_plus_one = kFallbackSlot + 1;
  MoveToFallbackSlot();
  RetireSlot(slot);
}

void EndOnFallbackSlot() {
  __atomic_fetch_sub(&fallback_threads, 1, __ATOMIC_RELAXED);
  if (const u32 place = self.place_plus_one) {
    self.place_plus_one = 0;
    MoveToFallbackSlot();
    const u32 tid = SharingThreadAt(place - 1).tid;
    NoteFormerThread(tid);
    EndSharing(place - 1, tid);
  }
  // The calls in which the thread was cancelled.
  __atomic_fetch_sub(&shadow.header->fallback_calls_in_flight,
                     self.fallback_calls, __ATOMIC_ACQ_REL);
  self.fallback_calls = 0;
}

void RetireSlot(u32 slot) {
  SlotEntry &entry = shadow.slots[slot];
  u32 live = (u32)SlotState::kLive;
  entry.end_ns = MonotonicNs();
  if (!__atomic_compare_exchange_n(&entry.state, &live,
                                   (u32)SlotState::kRetired, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  EndCallsInFlight(entry);
  __atomic_fetch_add(&retired_count, 1, __ATOMIC_RELAXED);
}

//===- For the recorder ---------------------------------------------------===//

void FreeSlot(u32 slot) {
  RawThreadLock hold(slots_lock);
  if (shadow.slots[slot].state == (u32)SlotState::kRetired)
    __atomic_fetch_sub(&retired_count, 1, __ATOMIC_RELAXED);
  StoreRelease(&shadow.slots[slot].state, (u32)SlotState::kFree);
  free_slots[free_count++] = slot;
}

u32 TakeFreeSlot() {
  RawThreadLock hold(slots_lock);
  return free_count ? free_slots[--free_count] : kFallbackSlot;
}

bool AnyFreeSlot() { return LoadAcquire(&free_count); }

u32 RetiredSlots() { return LoadAcquire(&retired_count); }

static bool IsLive(const SlotEntry &entry) {
  return LoadAcquire(&entry.state) == (u32)SlotState::kLive;
}

void RetireDeadThreads() {
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    if (slot != kFallbackSlot && IsLive(entry) &&
        ErrnoOf(Syscall(SYS_tgkill, entry.process, entry.tid, 0)) == ESRCH)
      RetireSlot(slot);
  }
  EndSharingOfDeadThreads();
}

void ForEachRegisteredThread(void (*found)(u32 tid)) {
  for (const u32 &former : former_threads)
    found(LoadAcquire(&former));
  for (u32 slot = 1; slot < shadow.header->slot_high; ++slot)
    found(shadow.slots[slot].tid);
  for (u32 place = 0; place < SharingPlaces(); ++place)
    found(LoadAcquire(&SharingThreadAt(place).tid));
}

bool AnySharing() { return LoadAcquire(&fallback_threads); }

u32 CountRegisteredThreads() {
  u32 count = LoadAcquire(&fallback_threads);
  for (u32 slot = 1; slot < shadow.header->slot_high; ++slot)
    count += IsLive(shadow.slots[slot]) &&
             shadow.slots[slot].process == shadow.header->pid;
  return count;
}

//===- Fork ---------------------------------------------------------------===//

void LockThreads() { slots_lock.Acquire(); }
void UnlockThreads() { slots_lock.Release(); }

void RenewSlotsInChild() {
  fallback_threads = CurrentSlot() == kFallbackSlot;
  RenewSharingInChild();
  self.place_plus_one = 0;
  // None of the parent's shared slots is mapped here.
  if (fallback_threads && shadow.slot_base[kFallbackSlot]) {
    self.place_plus_one = BeginSharing(GetTidRaw()) + 1;
    if (!self.suspended)
      SetShadowBase(shadow.slot_base[kFallbackSlot]);
  }
  RenewShadowInChild(CurrentSlot());
}

} // namespace pagetide

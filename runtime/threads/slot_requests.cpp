//===- slot_requests.cpp - Slots for new threads --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "threads/slot_requests.h"

#include "platform/bailout.h"
#include "platform/locks.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"
#include "threads/slots.h"

namespace pagetide {

using shadow_file::kFallbackSlot;

/// Who has the request.
enum SlotTurn : u32 { kIdle, kRecorder, kAnswered };

static Lock slot_lock;
static u32 slot_turn; ///< SlotTurn
static u32 slot_answer;

static u32 RequestSlot() {
  if (!InServedProcess() || EnsureRecorder())
    return kFallbackSlot;
  ScopedLock hold(slot_lock);
  StoreRelease(&slot_turn, kRecorder);
  WakeRecorder();
  while (LoadAcquire(&slot_turn) != kAnswered)
    if (!WaitForRecorder(&slot_turn, kRecorder)) {
      StoreRelease(&slot_turn, kIdle);
      return kFallbackSlot;
    }
  StoreRelease(&slot_turn, kIdle);
  return slot_answer;
}

u32 AcquireSlot() {
  u32 slot = TakeFreeSlot();
  return slot != kFallbackSlot ? slot : RequestSlot();
}

//===- On the recorder's thread -------------------------------------------===//

/// How many slots of ended threads may wait until a period's end empties them.
constexpr u32 kMaxRetired = 16;

/// Maps the slots that threads without one of their own share, so that they do
/// not all write the same cache lines. These slots belong to no thread: the
/// trace lists their marks under thread 0.
static void MapSharedSlots() {
  for (u32 i = 0; i < shadow.shared_count; ++i) {
    const u32 slot = shadow.first_shared + i;
    if (shadow.slot_base[slot])
      continue;
    if (MapSlot(RecorderMemfd(), slot))
      return; // use those that could be mapped
    if (shadow.header->slot_high <= slot)
      shadow.header->slot_high = slot + 1;
  }
}

static u32 SlotForNewThread(bool recording, const SlotHooks &hooks) {
  if (!shadow.slot_base[kFallbackSlot] &&
      !MapSlot(RecorderMemfd(), kFallbackSlot))
    BeginSlot(kFallbackSlot, 0);
  u32 next = 1;
  while (next < shadow.first_shared && shadow.slot_base[next])
    ++next;
  const bool full = next >= shadow.first_shared;
  if (full && !RetiredSlots())
    RetireDeadThreads();
  if (RetiredSlots() >= kMaxRetired ||
      (RetiredSlots() && (!recording || full))) {
    // If memory runs out now, nothing is lost: marks stay where they are, and
    // the thread gets another slot. (The thread may be in a callback, which
    // must not be interrupted.)
    Reason why;
    Attempt(why, [&] { hooks.empty_retired(recording); });
  }
  u32 slot = TakeFreeSlot();
  if (slot != kFallbackSlot)
    return slot;
  // Mapping fails if the address space is used up.
  if (!full && !MapSlot(RecorderMemfd(), next)) {
    if (shadow.header->slot_high <= next)
      shadow.header->slot_high = next + 1;
    return next;
  }
  MapSharedSlots();
  hooks.ran_out(next);
  return kFallbackSlot;
}

void AnswerSlotRequest(bool recording, const SlotHooks &hooks) {
  if (LoadAcquire(&slot_turn) != kRecorder)
    return;
  slot_answer = SlotForNewThread(recording, hooks);
  StoreRelease(&slot_turn, kAnswered);
  FutexWakeAll(&slot_turn);
}

//===- Fork ---------------------------------------------------------------===//

void LockSlotRequests() { slot_lock.Acquire(); }
void UnlockSlotRequests() { slot_lock.Release(); }

void RenewSlotRequestsInChild() {
  slot_lock.Reset();
  slot_turn = kIdle;
}

} // namespace pagetide

//===- slot_requests.cpp - Slots for new threads --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/slot_requests.h"

#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/program_memory.h"
#include "shadow/shadow.h"
#include "threads/service_thread.h"
#include "threads/slots.h"

namespace pagetide {

using shadow_file::kFallbackSlot;

/// From so many slots of ended threads on the recorder is asked to empty them
/// before the period ends.
constexpr u32 kManyRetired = 16;
/// With so many, no further slot is mapped: they will be free soon.
constexpr u32 kMaxRetired = 48;

PAGETIDE_ZERO_IN_CHILD static Lock slot_lock;
/// The next slot to map: those before it are mapped.
PAGETIDE_ZERO_IN_CHILD static u32 next_slot;
namespace {
enum Fact : u32 {
  kAllMapped = 1, ///< no slot is left to map
  kSharedMapped = 2,
  kRecorderMaps = 4, ///< a creator could not map one: QEMU duplicates none
};
} // namespace
PAGETIDE_ZERO_IN_CHILD static u32 facts;

static bool Is(Fact fact) { return LoadAcquire(&facts) & fact; }
static void Set(Fact fact) {
  __atomic_fetch_or(&facts, fact, __ATOMIC_ACQ_REL);
}

/// 1 from a request to empty slots until the recorder has done it.
PAGETIDE_ZERO_IN_CHILD static u32 asked;
/// Threads that have had to share a slot, and how many had one of their own
/// when the first of these came.
PAGETIDE_ZERO_IN_CHILD static u32 sharing_starts, own_slots;

/// Whether it matters which thread has which slot.
static bool RecordsByThread() {
  const ShadowHeader &header = *shadow.header;
  return LoadAcquire(&header.recording) ==
             (u32)shadow_file::RecordingState::kRuns &&
         LoadAcquire(&header.per_thread);
}

//===- The thread that makes another one ----------------------------------===//

static void AskToEmpty() {
  if (!__atomic_exchange_n(&asked, 1, __ATOMIC_ACQ_REL))
    WakeRecorder();
}

/// Waits until the slots of ended threads are emptied. False if the recorder
/// has gone.
static bool AwaitEmptySlots() {
  AskToEmpty();
  while (LoadAcquire(&asked))
    if (!WaitForRecorder(&asked, 1))
      return false;
  return true;
}

static int MapBy(int fd, u32 slot) {
  const int error = MapSlot(slot, fd);
  if (error && fd == kNoMemfd)
    Set(kRecorderMaps);
  return error;
}

static bool MapFallbackSlot(int fd) {
  if (!shadow.slot_base[kFallbackSlot] && !MapBy(fd, kFallbackSlot))
    BeginSlot(kFallbackSlot, {0, GetPidRaw()});
  return shadow.slot_base[kFallbackSlot];
}

static void RaiseSlotHigh(u32 slots) {
  if (shadow.header->slot_high < slots)
    StoreRelease(&shadow.header->slot_high, slots);
}

/// Maps the next slot; the fallback slot if none is left, or no address space.
static u32 MapNextSlot(int fd = kNoMemfd) {
  RawThreadLock hold(slot_lock);
  if (Is(kAllMapped) || !MapFallbackSlot(fd))
    return kFallbackSlot;
  while (next_slot <= kFallbackSlot ||
         (next_slot < shadow.first_shared && shadow.slot_base[next_slot]))
    ++next_slot;
  // Clones that ended by the bare exit system call have retired no slot.
  constexpr u32 kSometimes = 64;
  if (next_slot % kSometimes == 0)
    AskToEmpty();
  const bool is_last = next_slot == shadow.first_shared;
  if (is_last || MapBy(fd, next_slot)) {
    if (is_last || fd != kNoMemfd) // otherwise the recorder tries
      Set(kAllMapped);
    return kFallbackSlot;
  }
  RaiseSlotHigh(next_slot + 1);
  return next_slot++;
}

/// Maps the slots that threads without one of their own share, so that they do
/// not all write the same cache lines. These slots belong to no thread: the
/// trace lists their marks under thread 0.
static void MapSharedSlots(int fd = kNoMemfd) {
  if (Is(kSharedMapped))
    return;
  RawThreadLock hold(slot_lock);
  if (Is(kSharedMapped) || !MapFallbackSlot(fd))
    return;
  u32 mapped = 0;
  while (mapped < shadow.shared_count &&
         !MapSlot(shadow.first_shared + mapped, fd))
    ++mapped; // use those for which there is room
  if (mapped)
    RaiseSlotHigh(shadow.first_shared + mapped);
  SetSharedSlots(mapped);
  Set(kSharedMapped);
}

/// A filter may end the thread for a call that the program does not make.
static bool CreatorsMap() {
  return !UnderSystemCallFilter() && !Is(kRecorderMaps);
}

/// The recorder maps slots ahead, because creators do not.
static bool RecorderMaps() { return !CreatorsMap() && !Is(kAllMapped); }

static u32 ShareSlot() {
  if (CreatorsMap())
    MapSharedSlots();
  const u32 before = __atomic_fetch_add(&sharing_starts, 1, __ATOMIC_ACQ_REL);
  if (!LoadAcquire(&own_slots) && (Is(kAllMapped) || RecordsByThread())) {
    StoreRelease(&own_slots, next_slot);
    WakeRecorder(); // it says so
  }
  constexpr u32 kSometimes = 64; // as in MapNextSlot
  if (RetiredSlots() || RecorderMaps() || before % kSometimes == 0)
    AskToEmpty();
  return kFallbackSlot;
}

u32 AcquireSlot() {
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    u32 slot = TakeFreeSlot();
    if (slot != kFallbackSlot || !InServedProcess() || EnsureRecorder())
      return slot;
    const u32 retired = RetiredSlots();
    if (CreatorsMap() && !Is(kAllMapped) && retired < kMaxRetired) {
      if (retired >= kManyRetired)
        AskToEmpty();
      if ((slot = MapNextSlot()) != kFallbackSlot)
        return slot;
    }
    const bool is_worth_it = RecordsByThread()
                                 ? retired || RecorderMaps()
                                 : RecorderMaps() && !Is(kSharedMapped);
    if (!is_worth_it || !AwaitEmptySlots())
      break;
  }
  return ShareSlot();
}

u32 SlotsWhenTheyRanOut(u32 *starts) {
  *starts = LoadAcquire(&sharing_starts);
  return LoadAcquire(&own_slots);
}

//===- On the recorder's thread -------------------------------------------===//

/// A look takes 1 us or more for each thread. So it takes one part in 32 of the
/// time, but there is one before it is said that slots have run out.
static void RetireDeadNowAndThen() {
  constexpr u64 kLookNs = 10 * kNsPerMs, kRestFor = 32;
  PAGETIDE_RECORDER_STATE static u64 next_look;
  PAGETIDE_RECORDER_STATE static u32 ran_out;
  const u32 runs_out = LoadAcquire(&own_slots);
  const u64 begin = MonotonicNs();
  const bool due = begin >= next_look || (runs_out && !ran_out);
  ran_out = runs_out;
  if (!due)
    return;
  RetireDeadThreads();
  const u64 end = MonotonicNs();
  next_look = end + kLookNs + kRestFor * (end - begin);
}

static void MapAhead() {
  // QEMU has tables for all that is mapped: no slot that is not needed.
  const bool is_cheap = UnderSystemCallFilter();
  if (is_cheap || Is(kAllMapped))
    MapSharedSlots(RecorderMemfd());
  for (int ahead = is_cheap ? 8 : 1; ahead > 0; --ahead)
    if (const u32 slot = MapNextSlot(RecorderMemfd()); slot != kFallbackSlot)
      FreeSlot(slot);
}

void EmptySlotsIfAsked(bool recording, void (*empty_retired)(bool keep_marks)) {
  if (!LoadAcquire(&asked))
    return;
  RetireDeadNowAndThen();
  // If memory runs out now, nothing is lost: marks stay where they are, and
  // threads share slots. (A thread that waits may be in a callback, which must
  // not be interrupted.)
  Reason why;
  if (RetiredSlots())
    Attempt(why, [&] { empty_retired(recording); });
  if (RecorderMaps() && !AnyFreeSlot())
    MapAhead();
  // Slots were only waiting to be emptied. Where nobody tells threads apart,
  // nothing was amiss.
  if (AnyFreeSlot() && !RecordsByThread())
    StoreRelease(&own_slots, 0);
  StoreRelease(&asked, 0);
  FutexWakeAll(&asked);
}

//===- Fork ---------------------------------------------------------------===//

void LockSlotRequests() { slot_lock.Acquire(); }
void UnlockSlotRequests() { slot_lock.Release(); }

} // namespace pagetide

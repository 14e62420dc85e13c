//===- slots.h - Slots of shadow, and which thread has which --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread gets a slot of shadow when it is created and loses it in the last
// round of its thread-specific destructors. What it touches after that, in
// libc's last instructions, goes to the fallback slot. The marks left in its
// own slot stay the thread's: the recorder takes them before the slot is used
// again.

#pragma once

#include "threads/sharing_threads.h"

namespace pagetide {

/// What the runtime keeps of a thread, in thread-local storage. A raw clone
/// that shares its parent's storage shares this too, as it shares the shadow.
struct ThreadSelf {
  u32 slot_plus_one;      ///< 0: not looked up yet
  u32 place_plus_one;     ///< among the threads that share slots; 0: none
  u32 suspended;          ///< see SuspendMarks
  bool in_request;        ///< waits for the recorder, or runs a callback
  bool abandoned_request; ///< has ended its request from within the callback
  bool ended;             ///< its last destructors are running
  /// For a thread on the fallback slot and without a place: its calls under way
  /// (see InFlight), and the innermost one.
  u64 fallback_calls;
  std::uint64_t fallback_call;
  u64 signal_mask; ///< the program's, while the thread forks
  /// The innermost frame of an interceptor that must be told when it is unwound
  /// (interceptors/unwindable.h).
  std::uint64_t unwindable;
};
extern constinit thread_local ThreadSelf self
    __attribute__((tls_model("initial-exec")));

/// The calling thread's slot, found by its base if need be.
u32 CurrentSlot();
/// The calling thread among those that share slots; null if it is not.
SharingThread *CurrentSharing();
/// True if `slot` belongs to another thread than the calling one. A thread that
/// the runtime did not see being created shares its creator's slot. Costs a
/// system call, but only after such a thread has been seen.
bool SharesSlot(u32 slot);

//===- Use of slots -------------------------------------------------------===//

/// The calling thread has the slot from now on, and marks there. On the
/// fallback slot it gets a place among those that share slots, and marks where
/// that says. Returns the place, or kNoPlace. If not even the fallback slot
/// could be mapped, the thread keeps its creator's shadow. Uses no thread-local
/// storage.
u32 BeginOnSlot(u32 slot, const ThreadIds &ids);
/// BeginOnSlot for a thread with thread-local storage of its own.
void EnterSlot(u32 slot, const ThreadIds &ids);
/// Where the calling thread marks unless its marks are suspended.
uptr OwnShadowBase();
/// The calling thread has a slot of its own and ends. From now on it marks in
/// the fallback slot.
void EndOnOwnSlot(u32 slot);
/// The calling thread is on the fallback slot and ends. From now on it marks in
/// the fallback slot itself.
void EndOnFallbackSlot();
/// Marks a slot's thread as ended. The thread itself and the recorder, which
/// finds it gone, may both call this.
void RetireSlot(u32 slot);

/// From now on threads may share thread-local storage: CurrentSlot does not
/// trust `self` alone.
void NoteSharedStorage();
bool StorageIsShared();

//===- For the recorder ---------------------------------------------------===//

/// Gives back a slot that the recorder has emptied. All signals are blocked.
void FreeSlot(u32 slot);
/// A slot that was given back; the fallback slot if there is none. All signals
/// are blocked.
u32 TakeFreeSlot();
bool AnyFreeSlot();
/// Slots of ended threads that are not yet emptied.
u32 RetiredSlots();
/// Retires the slots of threads that ended by the bare exit system call and ran
/// no destructor.
void RetireDeadThreads();

/// Calls found(tid) for each thread that has a slot or a place, or had one
/// until recently.
void ForEachRegisteredThread(void (*found)(u32 tid));
/// Threads of this process that have a slot, or share the fallback slot.
u32 CountRegisteredThreads();
/// Whether a thread that lives has no slot of its own.
bool AnySharing();
/// Makes SharesSlot test for unregistered threads from now on.
void ExpectUnregisteredThreads();
bool ExpectsUnregisteredThreads();

//===- Fork ---------------------------------------------------------------===//

void LockThreads();
void UnlockThreads();
void RenewSlotsInChild();

} // namespace pagetide

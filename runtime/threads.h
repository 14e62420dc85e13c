//===- threads.h - Whose shadow is where ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread gets a slot of shadow when it is created and loses it in the last
// round of its thread-specific destructors; what it touches after that, in
// libc's last instructions, goes to the orphan slot. The marks left in the slot
// stay the thread's: the recorder takes them before the slot is used again.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_THREADS_H
#define PAGETIDE_RUNTIME_THREADS_H

#include "shadow.h"

namespace pagetide {

/// What the runtime keeps of a thread, in thread-local storage. A raw clone
/// that shares its parent's storage shares this too, as it shares the shadow.
struct ThreadSelf {
  u32 slot_plus_one; ///< 0: not looked up yet
  u32 leave_out;     ///< depth of pagetide_leave_out_begin()
  bool in_request;   ///< waits for the recorder, or runs a callback
  u64 signal_mask;   ///< the program's, while the thread forks
};
extern constinit thread_local ThreadSelf self
    __attribute__((tls_model("initial-exec")));

/// The calling thread's slot, found by its base if need be.
u32 CurrentSlot();

/// Second phase: thread-specific key, and slots for threads that were there
/// before the runtime.
void InitThreads();

/// Wraps the start of a thread about to be created: reserves a slot. Pass
/// `arg` and RunThread to the real pthread_create; after failure call
/// CancelThread.
struct ThreadStart {
  void *(*run)(void *);
  void *arg;
  u32 slot;
};
ThreadStart *PrepareThread(void *(*run)(void *), void *arg);
void *RunThread(void *start);
void CancelThread(ThreadStart *start);

//===- For the recorder ---------------------------------------------------===//

/// Puts a slot that the recorder has emptied where threads find it.
void FreeSlot(u32 slot);
/// A slot that FreeSlot gave back; the orphan slot where there is none.
u32 TakeFreeSlot();
/// Slots of ended threads not yet emptied.
u32 RetiredSlots();
/// Marks a slot's thread as ended, where it could not do so itself.
void RetireSlot(u32 slot);

//===- Leaving code out, and fork -----------------------------------------===//

/// Turns the calling thread's marks away (+1) or back (-1); pairs nest. False
/// for a -1 too many, or where there is no memory. Async-signal-safe.
bool LeaveOut(int change);
/// Where the marks of left-out code go (slot_bytes of it); 0: nowhere yet.
uptr ScratchShadow();

/// For the fork handlers: hold everything still, let go, start anew.
void LockThreads();
void UnlockThreads();
/// False where the child cannot record: see RenewShadowInChild.
bool RenewThreadsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_H

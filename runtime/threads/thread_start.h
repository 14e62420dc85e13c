//===- thread_start.h - Whose shadow is where -----------------------------===//
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

#ifndef PAGETIDE_RUNTIME_THREADS_THREAD_START_H
#define PAGETIDE_RUNTIME_THREADS_THREAD_START_H

#include "platform/page_vec.h"
#include "shadow/shadow.h"

namespace pagetide {

/// What the runtime keeps of a thread, in thread-local storage. A raw clone
/// that shares its parent's storage shares this too, as it shares the shadow.
struct ThreadSelf {
  u32 slot_plus_one; ///< 0: not looked up yet
  u32 leave_out;     ///< depth of pagetide_leave_out_begin()
  bool in_request;   ///< waits for the recorder, or runs a callback
  bool left_request; ///< has ended its request from within the callback
  bool ended;        ///< its last destructors run
  /// Of a thread on the orphan slot: its calls under way (see InFlight), and the
  /// innermost.
  u64 orphan_calls;
  std::uint64_t orphan_call;
  u64 signal_mask; ///< the program's, while the thread forks
  /// The innermost frame of an interceptor that wants to know when it is
  /// unwound (mutexes.cpp).
  std::uint64_t unwindable;
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
/// CancelThread. All signals are blocked meanwhile, so that no handler runs in
/// the new thread while it still has its creator's shadow (nor forks while the
/// allocator's lock is held); `signals` are those that the thread shall have
/// blocked, or null where pthread_create sets them by the attributes.
struct ThreadStart {
  void *(*run)(void *);
  void *arg;
  u32 slot;
  bool set_signals;
  u64 signals;
  uptr stack_bytes;
};
bool SetsSignals(const void *attributes); ///< pthread_attr_t; may be null
/// `attributes`: the pthread_attr_t of the thread, or null. Waits where as many
/// threads as there are start blocks are being started.
ThreadStart *PrepareThread(void *(*run)(void *), void *arg, const u64 *signals,
                           const void *attributes);
void *RunThread(void *start);
void CancelThread(ThreadStart *start);

/// The same for a thread made by clone with CLONE_VM, which may share its
/// creator's thread-local storage, or have none of libc's. PrepareClone also
/// makes CurrentSlot tell such threads apart from then on.
struct CloneStart {
  int (*run)(void *);
  void *arg;
  u32 slot;
  u64 signals;
};
CloneStart *PrepareClone(int (*run)(void *), void *arg, u64 signals);
int RunClone(void *start);
void CancelClone(CloneStart *start);

/// For a thread that libc makes behind our back to call the program's function
/// (SIGEV_THREAD): gives it a slot until it ends.
void AdoptThread();

/// True where the process has no thread but the caller and the runtime's own.
bool IsOnlyThread();

/// True where the calling thread is not the one that `slot` belongs to: one
/// that was made behind our back shares its creator's. Costs a system call, but
/// only once such a thread has been seen.
bool SharesSlot(u32 slot);

//===- For the recorder ---------------------------------------------------===//

/// Where a thread's stack is, with its thread-local storage at the end; of the
/// first thread, its thread-local storage alone. Known only under option
/// kernel_writes, and to engine mprotect; otherwise empty.
struct ThreadArea {
  uptr begin, bytes;
  bool is_stack;
};
ThreadArea AreaOfSlot(u32 slot);

/// Puts a slot that the recorder has emptied where threads find it.
void FreeSlot(u32 slot);
/// A slot that FreeSlot gave back; the orphan slot where there is none.
u32 TakeFreeSlot();
/// Slots of ended threads not yet emptied.
u32 RetiredSlots();
/// Marks a slot's thread as ended, where it could not do so itself.
void RetireSlot(u32 slot);
/// Retires the slots whose threads are gone: they left by the bare exit system
/// call and ran no destructor.
void RetireDeadThreads();

/// Threads of this process that have no slot and did not ask for one (raw
/// clones, libc's own): appends their ids. They mark where their creators do.
void ListStrangers(PageVec<u32> &tids);
/// Such a thread lives on: SharesSlot looks from now on.
void StrangersStay();

//===- Leaving code out, and fork -----------------------------------------===//

/// Turns the calling thread's marks away (+1) or back (-1); pairs nest. False
/// for a -1 too many, or where there is no memory. Async-signal-safe.
bool LeaveOut(int change);

/// For the fork handlers: hold everything still, let go, start anew.
void LockThreads();
void UnlockThreads();
void RenewThreadsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_THREAD_START_H

//===- thread_start.cpp - Threads start with a slot and end without -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/thread_start.h"

#include "arch/shadow_base.h"
#include "platform/dynamic_symbols.h"
#include "platform/errno_names.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "threads/runtime_threads.h"
#include "threads/service_thread.h"
#include "threads/slot_requests.h"
#include "threads/start_args.h"
#include "threads/thread_memory.h"
#include "threads/unregistered.h"

#include "interception/interception.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

DECLARE_REAL(int, pthread_key_create, unsigned *key, void (*destructor)(void *))

namespace pagetide {

using shadow_file::kFallbackSlot;

static pthread_key_t end_key;
static bool has_end_key;

//===- Start and end ------------------------------------------------------===//

bool SetsSignals(const void *attributes) {
  sigset_t set;
  return attributes &&
         !pthread_attr_getsigmask_np((const pthread_attr_t *)attributes, &set);
}

/// A caller that the runtime does not know may be of another process.
static u32 ProcessOfNewThread() {
  return StorageIsShared() || ExpectsUnregisteredThreads() ? GetPidRaw()
                                                           : shadow.header->pid;
}

ThreadStart *PrepareThread(void *(*run)(void *), void *arg, const u64 *signals,
                           const void *attributes) {
  static_assert(sizeof(ThreadStart) <= kStartBlockBytes);
  auto *start = (ThreadStart *)TakeStartBlock();
  *start = {run,
            arg,
            AcquireSlot(),
            ProcessOfNewThread(),
            signals != nullptr,
            signals ? *signals : 0,
            AreasWanted() ? StackBytes(attributes) : 0};
  CountThread(+1);
  return start;
}

void CancelThread(ThreadStart *start) {
  CountThread(-1);
  if (start->slot != kFallbackSlot)
    FreeSlot(start->slot);
  GiveStartBlock(start);
}

/// Makes the key's destructor run when the calling thread ends.
static void SetEndKey(uptr round) {
  if (has_end_key)
    pthread_setspecific(end_key, (void *)round);
}

/// The key's destructor. Other keys' destructors may still run instrumented
/// code. libc calls destructors in rounds, and this one waits for the last
/// round.
static void EndThread(void *round) {
  if ((uptr)round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    SetEndKey((uptr)round + 1);
    return;
  }
  self.ended = true;
  CountThread(-1);
  const u32 slot = CurrentSlot();
  if (slot == kFallbackSlot)
    EndOnFallbackSlot();
  // If no thread was ever created (main calls pthread_exit), there is no
  // fallback slot, and the thread keeps its slot.
  else if (shadow.slot_base[kFallbackSlot])
    EndOnOwnSlot(slot);
}

/// The thread has its creator's base before this. No handler may see that.
static void BeginThread(ThreadStart *start) {
  EnterSlot(start->slot, {TidOfDescriptor(), start->process});
  GiveStartBlock(start);
}

void *RunThread(void *arg) {
  auto *start = (ThreadStart *)arg;
  const ThreadStart copy = *start;
  if (copy.set_signals) { // all are blocked
    BeginThread(start);
  } else {
    ScopedBlockSignals block_signals;
    BeginThread(start);
  }
  SetEndKey(1);
  if (AreasWanted() && copy.slot != kFallbackSlot)
    NoteStack(copy.slot, copy.stack_bytes);
  if (copy.set_signals)
    Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&copy.signals, 0, 8);
  return copy.run(copy.arg);
}

void AdoptThread() {
  ScopedBlockSignals block_signals;
  CountThread(+1);
  EnterSlot(AcquireSlot(), GetThreadIdsRaw());
  SetEndKey(1);
}

//===- Clones -------------------------------------------------------------===//

// This code uses no thread-local storage: that may be the creator's, or too
// small.

CloneStart *PrepareClone(int (*run)(void *), void *arg, u64 signals) {
  NoteSharedStorage();
  static_assert(sizeof(CloneStart) <= kStartBlockBytes);
  auto *start = (CloneStart *)TakeStartBlock();
  *start = {run, arg, AcquireSlot(), signals};
  return start;
}

void CancelClone(CloneStart *start) {
  if (start->slot != kFallbackSlot)
    FreeSlot(start->slot);
  GiveStartBlock(start);
}

int RunClone(void *arg) {
  const CloneStart copy = *(CloneStart *)arg;
  const u32 place = BeginOnSlot(copy.slot, GetThreadIdsRaw());
  if (copy.slot == kFallbackSlot && !InServedProcess())
    NoteSharedByProcess();
  GiveStartBlock(arg);
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&copy.signals, 0, 8);
  int result = copy.run(copy.arg);
  // It may also end by the exit system call. The recorder will notice that.
  u64 all = kAllSignals;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, 0, 8);
  if (shadow.slot_base[kFallbackSlot])
    SetShadowBase(shadow.slot_base[kFallbackSlot]);
  if (copy.slot != kFallbackSlot)
    RetireSlot(copy.slot);
  if (place != kNoPlace)
    EndSharing(place, GetTidRaw());
  return result;
}

//===- Fork ---------------------------------------------------------------===//

void RenewThreadsInChild() {
  RenewStartBlocksInChild();
  RenewSlotsInChild();
}

//===- The second phase of start-up ---------------------------------------===//

void InitThreads() {
  FindTidOfDescriptor();
  UseVdsoClock(FunctionOfVdso(kVdsoClockName));
  // The constructors of other libraries may have taken every key.
  if (int error = REAL(pthread_key_create)(&end_key, EndThread))
    Warning(
        "pthread_key_create failed (%s): thread exits will not be noticed at "
        "once, and their shadows will be freed some time after. Load the "
        "libraries that create so many keys after the program has started.\n",
        DescribeErrno(error));
  else
    has_end_key = true;
  SetEndKey(1);
  const u32 slot = CurrentSlot();
  if (AreasWanted() && slot != kFallbackSlot)
    NoteThreadLocal(slot);
  // Threads that were created after the shadow was made inherited their
  // creator's base and share its shadow.
  if (shadow.threads_before)
    AttachExistingThreads();
}

} // namespace pagetide

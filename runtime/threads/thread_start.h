//===- thread_start.h - Threads start with a slot and end without ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "threads/slots.h"

namespace pagetide {

/// Second phase: makes the thread-specific key, and slots for threads that
/// existed before the runtime.
void InitThreads();

/// Wraps the start of a thread about to be created: reserves a slot. Pass `arg`
/// and RunThread to the real pthread_create; after failure call CancelThread.
/// All signals are blocked in between: no handler may run in the new thread
/// while it has its creator's shadow, or fork while the allocator's lock is
/// held. `signals` are those that will be blocked in the thread, or null if
/// pthread_create sets them by the attributes.
struct ThreadStart {
  void *(*run)(void *);
  void *arg;
  u32 slot;
  u32 process;
  bool set_signals;
  u64 signals;
  uptr stack_bytes;
};
bool SetsSignals(const void *attributes); ///< pthread_attr_t; may be null
/// `attributes`: the pthread_attr_t of the thread, or null. Waits if all start
/// blocks are in use.
ThreadStart *PrepareThread(void *(*run)(void *), void *arg, const u64 *signals,
                           const void *attributes);
void *RunThread(void *start);
void CancelThread(ThreadStart *start);

/// The same for a thread made by clone with CLONE_VM. It may share its
/// creator's thread-local storage, or have none of libc's. After PrepareClone,
/// CurrentSlot tells such threads apart.
struct CloneStart {
  int (*run)(void *);
  void *arg;
  u32 slot;
  u64 signals;
};
CloneStart *PrepareClone(int (*run)(void *), void *arg, u64 signals);
int RunClone(void *start);
void CancelClone(CloneStart *start);

/// For a thread that libc creates to call the program's function
/// (SIGEV_THREAD), without a call of pthread_create: gives it a slot until it
/// ends.
void AdoptThread();

/// For a forked child, which has only the thread that forked.
void RenewThreadsInChild();

} // namespace pagetide

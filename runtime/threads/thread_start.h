//===- thread_start.h - Threads start with a slot and end without ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_THREADS_THREAD_START_H
#define PAGETIDE_RUNTIME_THREADS_THREAD_START_H

#include "threads/slots.h"

namespace pagetide {

/// Second phase: thread-specific key, and slots for threads that were there
/// before the runtime.
void InitThreads();

/// Wraps the start of a thread about to be created: reserves a slot. Pass
/// `arg` and RunThread to the real pthread_create; after failure call
/// CancelThread. All signals are blocked meanwhile: no handler may run in the
/// new thread while it has its creator's shadow, or fork while the allocator's
/// lock is held. `signals` are those that the thread shall have blocked, or
/// null if pthread_create sets them by the attributes.
struct ThreadStart {
  void *(*run)(void *);
  void *arg;
  u32 slot;
  bool set_signals;
  u64 signals;
  uptr stack_bytes;
};
bool SetsSignals(const void *attributes); ///< pthread_attr_t; may be null
/// `attributes`: the pthread_attr_t of the thread, or null. Waits while as many
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

/// For a thread that libc creates to call the program's function
/// (SIGEV_THREAD), without a call of pthread_create: gives it a slot until it
/// ends.
void AdoptThread();

/// In a forked child: it has one thread, and no other is being started.
void RenewThreadsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_THREAD_START_H

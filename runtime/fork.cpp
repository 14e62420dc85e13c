//===- fork.cpp - Keeping parent and child apart
//----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forked child shares its parent's shadow, because the memfd is mapped
// shared: until the child has a memfd of its own, a mark of the child would be
// one of the parent's. So our child handler is the first of all (handlers run
// in the order of registration), and no instrumented code runs before it.
//
//===----------------------------------------------------------------------===//

#include "callback.h"
#include "recorder.h"
#include "rtl.h"
#include "threads.h"
#include "watch.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

namespace pagetide {

/// In a callback the thread holds, by its request, what would be locked here.
static bool locked;
/// The forking thread's; no handler may run while it holds the locks.
static u64 signal_mask;

static void Prepare() {
  locked = !self.in_request;
  if (!locked)
    return;
  u64 all = ~u64{0}, saved = 0;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, (uptr)&saved, 8);
  LockCallback();
  LockRecorder();
  LockThreads();
  LockWatch();
  __sanitizer::InternalAllocatorLock();
  signal_mask = saved;
}

static void InParent() {
  if (!locked)
    return;
  __sanitizer::InternalAllocatorUnlock();
  UnlockWatch();
  UnlockThreads();
  UnlockRecorder();
  u64 saved = signal_mask;
  UnlockCallback();
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&saved, 0, 8);
}

static void InChild() {
  if (locked)
    __sanitizer::InternalAllocatorUnlock();
  RenewThreadsInChild(); // the new control block first
  RenewWatchInChild();
  RenewRecorderInChild();
  RenewCallbackInChild();
  if (locked)
    Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&signal_mask, 0, 8);
}

void InitFork() { pthread_atfork(Prepare, InParent, InChild); }

} // namespace pagetide

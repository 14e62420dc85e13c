//===- fork.cpp - Keeping parent and child apart --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forked child shares its parent's shadow, because the memfd is mapped
// shared. Its marks count as the parent's until it has a memfd of its own. So
// our child handler runs before instrumented code and before the handlers of
// other sanitizers, which may start threads. Handlers run in the order of
// registration, and ours are registered in the first phase.

#include "startup/fork.h"

#include "interceptors/late_start_point.h"
#include "interceptors/process.h"
#include "periods/watch.h"
#include "platform/locks.h"
#include "recorder/callback_thread.h"
#include "recorder/recorder.h"
#include "threads/thread_start.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

namespace pagetide {

// Locks in the order in which they nest elsewhere. No handler may run while the
// forking thread holds them.

static void Prepare() {
  if (!ControlReady())
    return;
  u64 all = kAllSignals, saved = 0;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, (uptr)&saved, 8);
  self.signal_mask = saved;
  LockRecorder(self.in_request);
  LockCallback();
  LockThreads();
  LockWatch();
  __sanitizer::InternalAllocatorLock();
}

static void RestoreSignals() {
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&self.signal_mask, 0, 8);
}

static void InParent() {
  if (!ControlReady())
    return;
  __sanitizer::InternalAllocatorUnlock();
  UnlockWatch();
  UnlockThreads();
  UnlockCallback();
  UnlockRecorder(self.in_request);
  RestoreSignals();
}

static void InChild() {
  RenewLateStartPointInChild();
  const bool ready = ControlReady();
  if (ready)
    __sanitizer::InternalAllocatorUnlock();
  RenewInChild(true);
  if (ready)
    RestoreSignals();
}

void InitFork() { pthread_atfork(Prepare, InParent, InChild); }

} // namespace pagetide

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

namespace pagetide {

/// In a callback the thread holds, by its request, what would be locked here.
static bool locked;

static void Prepare() {
  locked = !self.in_request;
  if (!locked)
    return;
  LockCallback();
  LockRecorder();
  LockThreads();
  LockWatch();
  __sanitizer::InternalAllocatorLock();
}

static void InParent() {
  if (!locked)
    return;
  __sanitizer::InternalAllocatorUnlock();
  UnlockWatch();
  UnlockThreads();
  UnlockRecorder();
  UnlockCallback();
}

static void InChild() {
  if (locked)
    __sanitizer::InternalAllocatorUnlock();
  RenewWatchInChild();
  RenewThreadsInChild();
  RenewRecorderInChild();
  RenewCallbackInChild();
}

void InitFork() { pthread_atfork(Prepare, InParent, InChild); }

} // namespace pagetide

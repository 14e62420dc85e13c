//===- cut_workers.cpp - Threads that help while the program's stand ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/cut_workers.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/program_memory.h"
#include "platform/raw_thread.h"

#include <sys/syscall.h>

namespace pagetide {

/// Nothing can be taken while the next part has this number.
constexpr u32 kClosed = 1u << 30;

namespace {
struct Worker {
  RawThread thread;
  u32 busy; ///< it may have a part
};

struct Pool {
  Worker workers[kMaxPageReaders]; ///< the first is not used
  u32 count;                       ///< with the recorder; 0: not started
  u32 calls;                       ///< a count that workers sleep on
  u32 gathered;
  u32 stop;
  u32 here; ///< 1 + the processor that the workers do not use; 0: none
  // The job. Only who has taken a part of it may look at it.
  u32 next;
  u32 parts;
  PartWork work;
  void *argument;
};
} // namespace

PAGETIDE_RECORDER_STATE static Pool pool;

static void WorkOnParts(u32 worker) {
  for (;;) {
    const u32 part = __atomic_fetch_add(&pool.next, 1, __ATOMIC_SEQ_CST);
    if (part >= kClosed || part >= pool.parts)
      return;
    pool.work(worker, part, pool.argument);
  }
}

static bool IsOpen() { return LoadAcquire(&pool.next) < kClosed; }

static void RunWorker(void *argument) {
  Worker &worker = *(Worker *)argument;
  const u32 number = (u32)(&worker - pool.workers);
  for (;;) {
    const u32 seen = LoadAcquire(&pool.calls);
    // To be woken for each job would take longer than most jobs.
    while (LoadAcquire(&pool.gathered)) {
      if (!IsOpen()) {
        Syscall(SYS_sched_yield); // the recorder may need this processor
        continue;
      }
      // Before it takes a part: ShareWork looks after it has closed the job.
      __atomic_store_n(&worker.busy, 1u, __ATOMIC_SEQ_CST);
      WorkOnParts(number);
      StoreRelease(&worker.busy, 0u);
    }
    if (LoadAcquire(&pool.stop))
      return;
    FutexWait(&pool.calls, seen);
  }
}

/// The processors that a thread may use: a bit for each.
struct Processors {
  u64 words[16]; ///< more of them are not used
  uptr bytes;

  u32 Count() const {
    u32 count = 0;
    for (uptr i = 0; i < bytes / sizeof(u64); ++i)
      count += (u32)__builtin_popcountll(words[i]);
    return count;
  }
};

static Processors OwnProcessors() {
  Processors own = {};
  const uptr bytes =
      Syscall(SYS_sched_getaffinity, 0, sizeof(own.words), (uptr)own.words);
  own.bytes = Failed(bytes) ? 0 : bytes;
  return own;
}

/// The threads stand, but the kernel may not know yet that their processors are
/// idle. So it might have the workers wait for the recorder's.
static void KeepWorkersOffThisProcessor() {
  u32 here;
  if (Failed(Syscall(SYS_getcpu, (uptr)&here, 0, 0)) || here + 1 == pool.here)
    return;
  pool.here = here + 1;
  Processors others = OwnProcessors();
  if (here < others.bytes * 8)
    others.words[here / 64] &= ~(u64{1} << here % 64);
  for (u32 i = 1; i < pool.count; ++i)
    Syscall(SYS_sched_setaffinity, pool.workers[i].thread.tid, others.bytes,
            (uptr)others.words);
}

// A filter may end the process for a call that it does not know.
void StartCutWorkers() {
  if (pool.count || UnderSystemCallFilter())
    return;
  pool.next = kClosed;
  pool.stop = 0;
  const u32 processors = OwnProcessors().Count();
  pool.here = 0;
  for (pool.count = 1; pool.count < kMaxPageReaders && pool.count < processors;
       ++pool.count) {
    Worker &worker = pool.workers[pool.count];
    worker = {};
    worker.thread.run = RunWorker;
    worker.thread.arg = &worker;
    worker.thread.name = "pagetide-cut";
    worker.thread.share_fds = true;
    if (StartRawThread(worker.thread))
      return;
  }
}

static void CallWorkers() {
  __atomic_fetch_add(&pool.calls, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&pool.calls);
}

void StopCutWorkers() {
  RestCutWorkers();
  StoreRelease(&pool.stop, 1u);
  CallWorkers();
  for (u32 i = 1; i < pool.count; ++i)
    JoinRawThread(pool.workers[i].thread);
  pool.count = 0;
}

void GatherCutWorkers() {
  if (pool.count < 2 || UnderSystemCallFilter())
    return;
  KeepWorkersOffThisProcessor();
  StoreRelease(&pool.gathered, 1u);
  CallWorkers();
}

void RestCutWorkers() { StoreRelease(&pool.gathered, 0u); }

/// Waits until a worker has finished its part. False if it has been ended.
static bool WaitFor(const Worker &worker) {
  constexpr u32 kSpins = 100;
  for (u32 i = 1; __atomic_load_n(&worker.busy, __ATOMIC_SEQ_CST); ++i) {
    __builtin_ia32_pause();
    if (i % kSpins)
      continue;
    if (!LoadAcquire(&worker.thread.tid))
      return false;
    Syscall(SYS_sched_yield); // perhaps it waits for this processor
  }
  return true;
}

bool ShareWork(u32 parts, PartWork work, void *argument) {
  pool.parts = parts;
  pool.work = work;
  pool.argument = argument;
  StoreRelease(&pool.next, 0u);
  WorkOnParts(0);
  __atomic_store_n(&pool.next, kClosed, __ATOMIC_SEQ_CST);
  bool all = true;
  for (u32 i = 1; i < pool.count; ++i)
    all &= WaitFor(pool.workers[i]);
  if (!all) { // the others end
    StopCutWorkers();
    pool.count = 1;
  }
  return all;
}

} // namespace pagetide

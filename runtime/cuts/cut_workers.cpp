//===- cut_workers.cpp - Processes that read pages for a cut --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuts/cut_workers.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/program_memory.h"
#include "platform/raw_process.h"

#include "sanitizer_common/sanitizer_common.h"

#include <sys/syscall.h>

namespace pagetide {

namespace {
/// Parts of the job, as one word, so that a worker takes a part of the job that
/// is, or none.
union Parts {
  struct {
    u32 next;
    u32 end;
  };
  u64 word;

  bool IsAnyLeft() const { return next < end; }
};

struct Pool {
  RawProcess workers[kMaxFaultingReaders];
  u32 count;    ///< that were started
  u32 calls;    ///< a count that the first worker sleeps on
  u32 gathered; ///< the others sleep on it
  u32 stop;
  u64 parts;
  u32 left; ///< parts that are not done
  PartWork work;
};
} // namespace

PAGETIDE_RECORDER_STATE static Pool pool;

static void WorkOnParts(u32 worker) {
  Parts parts = {.word = LoadAcquire(&pool.parts)};
  while (parts.IsAnyLeft()) {
    Parts rest = parts;
    ++rest.next;
    if (!__atomic_compare_exchange_n(&pool.parts, &parts.word, rest.word, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    pool.work(worker, parts.next);
    if (__atomic_sub_fetch(&pool.left, 1, __ATOMIC_ACQ_REL) == 0)
      FutexWakeAll(&pool.left);
    parts = rest;
  }
}

static void RunWorker(void *argument) {
  const u32 number = (u32)((RawProcess *)argument - pool.workers);
  BecomeFaultingReader(number);
  // The recorder may have died before the kernel was told to end this process
  // with it.
  const u64 patience = MonotonicNs() + 10 * kNsPerSec;
  while (MonotonicNs() < patience) {
    const u32 calls = LoadAcquire(&pool.calls);
    if (LoadAcquire(&pool.stop))
      return;
    WorkOnParts(number);
    if (number == 0)
      FutexWait(&pool.calls, calls, patience);
    else if (LoadAcquire(&pool.gathered))
      Syscall(SYS_sched_yield); // the recorder may need this processor
    else
      FutexWait(&pool.gathered, 0, patience);
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
  if (Failed(Syscall(SYS_getcpu, (uptr)&here, 0, 0)))
    return;
  Processors others = OwnProcessors();
  if (here < others.bytes * 8)
    others.words[here / 64] &= ~(u64{1} << here % 64);
  for (u32 i = 1; i < pool.count; ++i)
    Syscall(SYS_sched_setaffinity, pool.workers[i].pid, others.bytes,
            (uptr)others.words);
}

void AwaitCutWorkers() {
  for (RawProcess &worker : pool.workers)
    JoinRawProcess(worker);
}

// A filter may end the process for a call that it does not know.
void StartCutWorkers() {
  if (UnderSystemCallFilter() || AvoidsFaultingReads())
    return;
  AwaitCutWorkers();
  pool.parts = 0;
  pool.stop = 0;
  pool.gathered = 0;
  const u32 wanted =
      __sanitizer::Min(OwnProcessors().Count(), kMaxFaultingReaders);
  for (pool.count = 0; pool.count < wanted; ++pool.count) {
    RawProcess &worker = pool.workers[pool.count];
    worker.run = RunWorker;
    worker.arg = &worker;
    worker.name = "pagetide-read";
    if (!StartRawProcess(worker))
      return;
  }
}

static void CallFirstWorker() {
  __atomic_fetch_add(&pool.calls, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&pool.calls);
}

static void CallOtherWorkers() {
  StoreRelease(&pool.gathered, 1u);
  FutexWakeAll(&pool.gathered);
}

void StopCutWorkers() {
  StoreRelease(&pool.stop, 1u);
  CallFirstWorker();
  CallOtherWorkers();
  pool.count = 0;
  AwaitCutWorkers(); // or the program has children that have ended
}

void GatherCutWorkers() {
  if (pool.count < 2)
    return;
  KeepWorkersOffThisProcessor();
  CallOtherWorkers();
}

void RestCutWorkers() { StoreRelease(&pool.gathered, 0u); }

bool AreCutWorkersGathered() { return pool.gathered; }

static void KillCutWorkers() {
  for (RawProcess &worker : pool.workers)
    KillRawProcess(worker);
  AwaitCutWorkers();
  pool.count = 0;
}

static bool AnyWorkerEnded() {
  for (u32 i = 0; i < pool.count; ++i)
    if (HasEnded(pool.workers[i]))
      return true;
  return false;
}

static void BeginWork(u32 parts, PartWork work) {
  if (!pool.count)
    return;
  pool.work = work;
  StoreRelease(&pool.left, parts);
  StoreRelease(&pool.parts, Parts{{0, parts}}.word);
}

static bool FinishWork() {
  if (!pool.count)
    return false;
  if (Parts{.word = LoadAcquire(&pool.parts)}.IsAnyLeft())
    CallFirstWorker();
  constexpr u64 kStepNs = 100 * kNsPerMs;
  constexpr int kMaxSteps = 10;
  int steps = 0;
  while (const u32 left = LoadAcquire(&pool.left)) {
    FutexWait(&pool.left, left, MonotonicNs() + kStepNs);
    if (LoadAcquire(&pool.left) != left) {
      steps = 0;
      continue;
    }
    if (++steps == kMaxSteps)
      AvoidFaultingReads();
    else if (!AnyWorkerEnded())
      continue;
    KillCutWorkers();
    return false;
  }
  return true;
}

constinit const ReadingHelp kCutWorkers = {BeginWork, FinishWork};

} // namespace pagetide

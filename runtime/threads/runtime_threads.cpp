//===- runtime_threads.cpp - Which threads are the program's --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/runtime_threads.h"

namespace pagetide {

/// Threads of the program that have begun and not ended, minus one; wraps.
static u32 program_threads;
constexpr u32 kNoThread = ~u32{0};

static u32 runtime_pthread;
static void (*last_thread_hook)();

void CountThread(int change) {
  if (__atomic_add_fetch(&program_threads, (u32)change, __ATOMIC_ACQ_REL) ==
      kNoThread)
    if (auto hook = __atomic_load_n(&last_thread_hook, __ATOMIC_ACQUIRE))
      hook();
}

bool NoProgramThreadLeft() {
  return LoadAcquire(&program_threads) == kNoThread;
}

void SetRuntimePthread(u32 tid) { StoreRelease(&runtime_pthread, tid); }

void SetLastThreadHook(void (*hook)()) {
  __atomic_store_n(&last_thread_hook, hook, __ATOMIC_RELEASE);
}

u32 RuntimePthreads() { return LoadAcquire(&runtime_pthread) != 0; }

bool IsRuntimePthread(u32 tid) { return LoadAcquire(&runtime_pthread) == tid; }

void RenewRuntimeThreadsInChild(bool that_has_ended) {
  runtime_pthread = 0;
  program_threads = that_has_ended ? kNoThread : 0;
}

} // namespace pagetide

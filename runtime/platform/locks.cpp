//===- locks.cpp - Waiting, locks and blocked signals ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/locks.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

namespace pagetide {

void FutexWait(const u32 *word, u32 expected, u64 deadline_ns) {
  timespec ts;
  timespec *deadline = nullptr;
  if (deadline_ns) {
    ts.tv_sec = (time_t)(deadline_ns / kNsPerSec);
    ts.tv_nsec = (long)(deadline_ns % kNsPerSec);
    deadline = &ts;
  }
  // FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time.
  Syscall(SYS_futex, (uptr)word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
          expected, (uptr)deadline, 0, FUTEX_BITSET_MATCH_ANY);
}

void FutexWakeAll(const u32 *word) {
  Syscall(SYS_futex, (uptr)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 0x7fffffff);
}

void Lock::Acquire() {
  u32 expected = 0;
  if (__atomic_compare_exchange_n(&state_, &expected, 1, false,
                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  while (__atomic_exchange_n(&state_, 2, __ATOMIC_ACQUIRE) != 0)
    FutexWait(&state_, 2);
}

void Lock::Release() {
  if (__atomic_exchange_n(&state_, 0, __ATOMIC_RELEASE) == 2)
    Syscall(SYS_futex, (uptr)&state_, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

ScopedBlockSignals::ScopedBlockSignals() {
  u64 all = kAllSignals;
  saved_ = 0;
  Syscall(SYS_rt_sigprocmask, SIG_BLOCK, (uptr)&all, (uptr)&saved_, 8);
}

ScopedBlockSignals::~ScopedBlockSignals() {
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&saved_, 0, 8);
}

} // namespace pagetide

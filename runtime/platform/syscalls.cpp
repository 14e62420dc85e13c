//===- syscalls.cpp - Raw system calls, clocks and atomics ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/syscalls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>

namespace pagetide {

using VdsoClock = int (*)(clockid_t, timespec *);
static VdsoClock vdso_clock;

/// Returns 0 or an errno.
static int ReadClock(int clock, u64 &ns) {
  timespec ts = {};
  const int error =
      ErrnoOf(Syscall(SYS_clock_gettime, (uptr)(sptr)clock, (uptr)&ts));
  ns = (u64)ts.tv_sec * kNsPerSec + (u64)ts.tv_nsec;
  return error;
}

static u64 ClockNs(int clock, u64 &last) {
  u64 ns;
  // A time that stands still is better than one that goes back.
  if (ReadClock(clock, ns))
    return __atomic_load_n(&last, __ATOMIC_RELAXED);
  __atomic_store_n(&last, ns, __ATOMIC_RELAXED);
  return ns;
}

void UseVdsoClock(void *function) {
  StoreRelease(&vdso_clock, (VdsoClock)function);
}

u64 MonotonicNs() {
  static u64 last;
  timespec ts;
  if (VdsoClock clock = LoadAcquire(&vdso_clock))
    if (!clock(CLOCK_MONOTONIC, &ts))
      return (u64)ts.tv_sec * kNsPerSec + (u64)ts.tv_nsec;
  return ClockNs(CLOCK_MONOTONIC, last);
}
u64 RealtimeNs() {
  static u64 last;
  return ClockNs(CLOCK_REALTIME, last);
}
void SleepNs(u64 ns) {
  const timespec ts = {0, (long)ns};
  Syscall(SYS_nanosleep, (uptr)&ts, 0);
}
u32 GetPidRaw() { return (u32)Syscall(SYS_getpid); }
u32 GetTidRaw() { return (u32)Syscall(SYS_gettid); }

u64 ThreadCpuNs(u32 tid) {
  // The kernel's encoding of a thread's CPU clock (CPUCLOCK_SCHED with the
  // per-thread bit), which pthread_getcpuclockid computes too.
  u64 ns;
  int error = ReadClock((int)(~tid << 3 | 6), ns);
  // To the kernel, a clone without CLONE_THREAD is a process: use its clock.
  if (error == EINVAL || error == ESRCH)
    error = ReadClock((int)(~tid << 3 | 2), ns);
  if (!error)
    return ns;
  return error == EINVAL || error == ESRCH ? 0 : kUnknownNs;
}

} // namespace pagetide

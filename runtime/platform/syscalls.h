//===- syscalls.h - Raw system calls, clocks and atomics ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime needs of the kernel and the processor, without libc. These
// functions are used before libc is ready, on threads that libc does not know,
// and where an interposed libc function would recurse.

#pragma once

#include "arch/syscall.h"

namespace pagetide {

constexpr u64 kNsPerMs = 1000 * 1000;
constexpr u64 kNsPerSec = 1000 * kNsPerMs;

/// A page of the system.
constexpr uptr kPageShift = 12;
constexpr uptr kPageBytes = uptr{1} << kPageShift;
constexpr uptr PageDown(uptr address) { return address & ~(kPageBytes - 1); }
constexpr uptr PageUp(uptr address) {
  return PageDown(address + kPageBytes - 1);
}

inline bool Failed(uptr result) { return result > (uptr)-4096; }
inline int ErrnoOf(uptr result) { return Failed(result) ? -(int)result : 0; }

//===- Time, identity -----------------------------------------------------===//

u64 MonotonicNs();
/// `function` is the vDSO's clock_gettime, or null. With it MonotonicNs makes
/// no system call.
void UseVdsoClock(void *function);
u64 RealtimeNs();
/// Less if a signal arrives. `ns` is less than a second.
void SleepNs(u64 ns);
u32 GetPidRaw();
u32 GetTidRaw();
/// A thread's number, and its process's.
struct ThreadIds {
  u32 tid, process;
};
inline ThreadIds GetThreadIdsRaw() { return {GetTidRaw(), GetPidRaw()}; }
/// CPU time of a thread that shares this process's memory, in ns. 0 if there is
/// no such thread, kUnknownNs if the system does not tell.
constexpr u64 kUnknownNs = ~u64{0};
u64 ThreadCpuNs(u32 tid);

/// A thread, and its CPU time at some moment.
struct ThreadCpu {
  u32 tid;
  u64 ns;
};
/// False if the thread has not run since.
inline bool MayHaveRunSince(const ThreadCpu &then) {
  return then.ns == kUnknownNs || ThreadCpuNs(then.tid) != then.ns;
}

//===- Atomic loads and stores --------------------------------------------===//

template <typename T> struct TypeIdentity {
  using Type = T; // keeps the argument from deciding T
};
template <typename T> inline T LoadAcquire(const T *p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <typename T>
inline void StoreRelease(T *p, typename TypeIdentity<T>::Type v) {
  __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

} // namespace pagetide

//===- syscalls.cpp - Raw system calls and the base register --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "platform/syscalls.h"

#include "platform/bailout.h"
#include "platform/raw_thread.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

namespace pagetide {

const char *DescribeErrno(int error) {
  switch (error) {
  case EPERM:
    return "EPERM (Operation not permitted)";
  case ENOENT:
    return "ENOENT (No such file or directory)";
  case ESRCH:
    return "ESRCH (No such process or thread)";
  case EIO:
    return "EIO (Input/output error)";
  case EBADF:
    return "EBADF (Bad file descriptor)";
  case EAGAIN:
    return "EAGAIN (Resource temporarily unavailable)";
  case ENOMEM:
    return "ENOMEM (Cannot allocate memory)";
  case EACCES:
    return "EACCES (Permission denied)";
  case EEXIST:
    return "EEXIST (File exists)";
  case ENOTDIR:
    return "ENOTDIR (Not a directory)";
  case EISDIR:
    return "EISDIR (Is a directory)";
  case EINVAL:
    return "EINVAL (Invalid argument)";
  case ENFILE:
    return "ENFILE (Too many open files in the system)";
  case EMFILE:
    return "EMFILE (Too many open files)";
  case EFBIG:
    return "EFBIG (File too large; see ulimit -f)";
  case ENOSPC:
    return "ENOSPC (No space left on device)";
  case EROFS:
    return "EROFS (Read-only file system)";
  case EPIPE:
    return "EPIPE (Broken pipe)";
  case ENAMETOOLONG:
    return "ENAMETOOLONG (File name too long)";
  case ENOSYS:
    return "ENOSYS (Function not implemented)";
  case ELOOP:
    return "ELOOP (Too many symbolic links)";
  case ECONNREFUSED:
    return "ECONNREFUSED (Connection refused)";
  case EDQUOT:
    return "EDQUOT (Disk quota exceeded)";
  default: {
    // A number is less than a name, but true. Messages are printed one at a
    // time, under the report lock.
    static char text[32];
    __sanitizer::internal_snprintf(text, sizeof(text), "errno %d", error);
    return text;
  }
  }
}

static bool has_fsgsbase;

void InitBaseRegister() {
  constexpr uptr kHwcap2FsGsBase = 2; // HWCAP2_FSGSBASE, asm/hwcap2.h
  has_fsgsbase = getauxval(AT_HWCAP2) & kHwcap2FsGsBase;
}

uptr GetGsBase() {
  uptr base = 0;
  if (has_fsgsbase)
    asm volatile("rdgsbase %0" : "=r"(base));
  else
    Syscall(SYS_arch_prctl, ARCH_GET_GS, (uptr)&base);
  return base;
}

void SetShadowBase(uptr shadow_base) {
  const uptr base = shadow_base - abi::kShadowBias;
  if (has_fsgsbase)
    asm volatile("wrgsbase %0" ::"r"(base) : "memory");
  else
    Syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}

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

u64 MonotonicNs() {
  static u64 last;
  return ClockNs(CLOCK_MONOTONIC, last);
}
u64 RealtimeNs() {
  static u64 last;
  return ClockNs(CLOCK_REALTIME, last);
}
u32 GetPidRaw() { return (u32)Syscall(SYS_getpid); }
u32 GetTidRaw() { return (u32)Syscall(SYS_gettid); }

u64 ThreadCpuNs(u32 tid) {
  // The kernel's encoding of a thread's CPU clock (CPUCLOCK_SCHED with the
  // per-thread bit), which pthread_getcpuclockid computes too.
  u64 ns;
  int error = ReadClock((int)(~tid << 3 | 6), ns);
  // A clone without CLONE_THREAD is a process to the kernel: its clock.
  if (error == EINVAL || error == ESRCH)
    error = ReadClock((int)(~tid << 3 | 2), ns);
  if (!error)
    return ns;
  return error == EINVAL || error == ESRCH ? 0 : kUnknownNs;
}

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

u64 signals_to_block = ~u64{0};

ScopedBlockSignals::ScopedBlockSignals() {
  u64 all = signals_to_block;
  saved_ = 0;
  Syscall(SYS_rt_sigprocmask, SIG_BLOCK, (uptr)&all, (uptr)&saved_, 8);
}

ScopedBlockSignals::~ScopedBlockSignals() {
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&saved_, 0, 8);
}

//===- The list of own memory ---------------------------------------------===//

// Changed by any thread at any time, without locks: a place is claimed by
// putting its range's begin in. Beyond so many blocks the list is incomplete;
// there are some dozens.
static AddressRange own_memory[1024];
/// Threads that are between mapping memory and listing it, or the reverse.
static u32 own_memory_changing;

/// Memory is mapped by whole pages, whatever was asked for.
static uptr WholePages(uptr bytes) {
  constexpr uptr kPage = 4096;
  return (bytes + kPage - 1) & ~(kPage - 1);
}

static void AddOwnMemory(uptr p, uptr bytes) {
  bytes = WholePages(bytes);
  for (AddressRange &place : own_memory) {
    uptr none = 0;
    if (__atomic_compare_exchange_n(&place.begin, &none, p, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      StoreRelease(&place.end, p + bytes);
      return;
    }
  }
}

static void RemoveOwnMemory(uptr p, uptr bytes) {
  const uptr end = p + WholePages(bytes);
  for (AddressRange &place : own_memory) {
    const uptr was_begin = LoadAcquire(&place.begin);
    const uptr was_end = LoadAcquire(&place.end);
    if (!was_begin || was_begin >= end || was_end <= p)
      continue;
    StoreRelease(&place.end, 0);
    StoreRelease(&place.begin, 0);
    if (was_begin < p)
      AddOwnMemory(was_begin, p - was_begin);
    if (was_end > end)
      AddOwnMemory(end, was_end - end);
  }
}

namespace {
class ChangeOfOwnMemory {
public:
  ChangeOfOwnMemory() {
    __atomic_fetch_add(&own_memory_changing, 1, __ATOMIC_ACQ_REL);
  }
  ~ChangeOfOwnMemory() {
    __atomic_fetch_sub(&own_memory_changing, 1, __ATOMIC_ACQ_REL);
  }
  ChangeOfOwnMemory(const ChangeOfOwnMemory &) = delete;
  ChangeOfOwnMemory &operator=(const ChangeOfOwnMemory &) = delete;
};
} // namespace

void ListOwnMemory(PageVec<AddressRange> &ranges) {
  ranges.reserve(sizeof(own_memory) / sizeof(own_memory[0]));
  // A handler that left by longjmp never takes its count back: not for ever.
  constexpr u64 kPatienceNs = 100 * kNsPerMs;
  const u64 deadline = MonotonicNs() + kPatienceNs;
  while (LoadAcquire(&own_memory_changing) && MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
  ranges.clear();
  for (const AddressRange &place : own_memory) {
    const uptr end = LoadAcquire(&place.end);
    const uptr begin = LoadAcquire(&place.begin);
    if (begin && end > begin)
      ranges.push_back({begin, end});
  }
}

void RenewOwnMemoryInChild() { own_memory_changing = 0; }

void *MapAnonymous(uptr bytes, bool dump) {
  ChangeOfOwnMemory change;
  uptr p = Syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uptr)-1, 0);
  if (Failed(p))
    return nullptr;
  AddOwnMemory(p, bytes);
  if (!dump)
    Syscall(SYS_madvise, p, bytes, MADV_DONTDUMP);
  RememberBlock((void *)p, bytes);
  return (void *)p;
}

void Unmap(void *p, uptr bytes) {
  ChangeOfOwnMemory change;
  ForgetBlock(p);
  RemoveOwnMemory((uptr)p, bytes); // first: the place may be another's at once
  Syscall(SYS_munmap, (uptr)p, bytes);
}

// sanitizer_common's allocator maps its memory by these (the linker's option
// --wrap has its calls end here).
extern "C" uptr __real__ZN11__sanitizer13internal_mmapEPvmiiiy(void *, uptr,
                                                               int, int, int,
                                                               u64);
extern "C" uptr __real__ZN11__sanitizer15internal_munmapEPvm(void *, uptr);
extern "C" uptr __wrap__ZN11__sanitizer13internal_mmapEPvmiiiy(
    void *at, uptr bytes, int protection, int flags, int fd, u64 offset) {
  ChangeOfOwnMemory change;
  uptr p = __real__ZN11__sanitizer13internal_mmapEPvmiiiy(at, bytes, protection,
                                                          flags, fd, offset);
  if (!Failed(p))
    AddOwnMemory(p, bytes);
  return p;
}
extern "C" uptr __wrap__ZN11__sanitizer15internal_munmapEPvm(void *p,
                                                             uptr bytes) {
  ChangeOfOwnMemory change;
  RemoveOwnMemory((uptr)p, bytes);
  return __real__ZN11__sanitizer15internal_munmapEPvm(p, bytes);
}

void *GrowPages(void *p, uptr old_bytes, uptr want, uptr *new_bytes) {
  uptr bytes = (want + 65535) & ~uptr{65535};
  uptr result;
  if (p) {
    ForgetBlock(p);
    ChangeOfOwnMemory change;
    RemoveOwnMemory((uptr)p, old_bytes);
    result = Syscall(SYS_mremap, (uptr)p, old_bytes, bytes, MREMAP_MAYMOVE);
    AddOwnMemory(Failed(result) ? (uptr)p : result,
                 Failed(result) ? old_bytes : bytes);
    if (Failed(result))
      RememberBlock(p, old_bytes);
    else
      RememberBlock((void *)result, bytes);
  } else {
    result = (uptr)MapAnonymous(bytes, false);
  }
  if (!result || Failed(result))
    return nullptr;
  *new_bytes = bytes;
  return (void *)result;
}

void LeaveOffWithoutMemory(uptr bytes) {
  LeaveOff("out of memory: %zu KiB wanted for page sets (raise the limit on "
           "memory, ulimit -d or -v, or shorten the period)",
           (bytes >> 10) + 1);
}

} // namespace pagetide

//===- own_memory.cpp - The runtime's own memory --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/own_memory.h"

#include "platform/fork_reset.h"
#include "platform/raw_thread_ids.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace pagetide {

namespace {
enum class Owner : u32 { kProcess, kRawThreads };

struct OwnRange {
  uptr begin; ///< 0: the entry is free
  uptr end;   ///< 0: the entry is being changed
  Owner owner;
};
} // namespace

// Changed by any thread at any time, without locks. A thread claims an entry
// by setting its begin, and sets its end last.
static OwnRange own_memory[kMaxOwnRanges];
/// The entries that were ever claimed. To look at the others would have the
/// kernel make pages for them.
static u32 own_memory_claimed;
/// Threads that are between mapping memory and listing it, or the reverse.
PAGETIDE_ZERO_IN_CHILD static u32 own_memory_changing;

namespace {
struct Claimed {
  OwnRange *last = own_memory + LoadAcquire(&own_memory_claimed);
  OwnRange *begin() const { return own_memory; }
  OwnRange *end() const { return last; }
};
} // namespace

static void NoteClaimed(u32 count) {
  u32 claimed = LoadAcquire(&own_memory_claimed);
  while (claimed < count && !__atomic_compare_exchange_n(
                                &own_memory_claimed, &claimed, count, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
}

static void AddOwnMemory(uptr p, uptr bytes, Owner owner) {
  for (OwnRange &range : own_memory) {
    uptr none = 0;
    if (__atomic_compare_exchange_n(&range.begin, &none, p, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      NoteClaimed((u32)(&range - own_memory) + 1);
      range.owner = owner;
      StoreRelease(&range.end, PageUp(p + bytes));
      return;
    }
  }
}

static void RemoveOwnMemory(uptr p, uptr bytes) {
  const uptr end = PageUp(p + bytes);
  for (OwnRange &range : Claimed()) {
    const uptr was_begin = LoadAcquire(&range.begin);
    const uptr was_end = LoadAcquire(&range.end);
    if (!was_begin || was_begin >= end || was_end <= p)
      continue;
    const Owner owner = range.owner;
    StoreRelease(&range.end, 0);
    StoreRelease(&range.begin, 0);
    if (was_begin < p)
      AddOwnMemory(was_begin, p - was_begin, owner);
    if (was_end > end)
      AddOwnMemory(end, was_end - end, owner);
  }
}

static Owner OwnerHere() {
  return OnRawThread() ? Owner::kRawThreads : Owner::kProcess;
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

uptr CopyOwnMemory(AddressRange *ranges) {
  // If a signal handler jumps out of a change (longjmp), the count stays above
  // 0.
  constexpr u64 kMaxWaitNs = 100 * kNsPerMs;
  const u64 deadline = MonotonicNs() + kMaxWaitNs;
  while (LoadAcquire(&own_memory_changing) && MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
  uptr count = 0;
  for (const OwnRange &range : Claimed()) {
    const uptr end = LoadAcquire(&range.end);
    const uptr begin = LoadAcquire(&range.begin);
    if (begin && end > begin)
      ranges[count++] = {begin, end};
  }
  return count;
}

void UnmapMemoryOfRawThreads() {
  for (const OwnRange &range : Claimed()) {
    const uptr begin = range.begin, end = range.end;
    // The fork may have copied an entry that was being changed.
    if (begin && end > begin && range.owner == Owner::kRawThreads)
      Unmap((void *)begin, end - begin);
  }
}

static void *Map(uptr bytes, bool dump, Owner owner) {
  ChangeOfOwnMemory change;
  uptr p = Syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uptr)-1, 0);
  if (Failed(p))
    return nullptr;
  AddOwnMemory(p, bytes, owner);
  if (!dump)
    Syscall(SYS_madvise, p, bytes, MADV_DONTDUMP);
  return (void *)p;
}

void *MapAnonymous(uptr bytes, bool dump) {
  return Map(bytes, dump, OwnerHere());
}

void *MapForRawThread(uptr bytes) {
  return Map(bytes, false, Owner::kRawThreads);
}

void Unmap(void *p, uptr bytes) {
  ChangeOfOwnMemory change;
  // Before munmap: after it, another thread may map memory there at once.
  RemoveOwnMemory((uptr)p, bytes);
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
    AddOwnMemory(p, bytes, Owner::kProcess);
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
    ChangeOfOwnMemory change;
    RemoveOwnMemory((uptr)p, old_bytes);
    result = Syscall(SYS_mremap, (uptr)p, old_bytes, bytes, MREMAP_MAYMOVE);
    AddOwnMemory(Failed(result) ? (uptr)p : result,
                 Failed(result) ? old_bytes : bytes, OwnerHere());
  } else {
    result = (uptr)MapAnonymous(bytes, false);
  }
  if (!result || Failed(result))
    return nullptr;
  *new_bytes = bytes;
  return (void *)result;
}

} // namespace pagetide

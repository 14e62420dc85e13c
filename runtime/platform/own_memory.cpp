//===- own_memory.cpp - The runtime's own memory --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "platform/own_memory.h"

#include "platform/raw_thread.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace pagetide {

// Changed by any thread at any time, without locks: a place is claimed by
// putting its range's begin in.
static AddressRange own_memory[kMaxOwnRanges];
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

uptr CopyOwnMemory(AddressRange *ranges) {
  // A handler that left by longjmp never takes its count back: not for ever.
  constexpr u64 kPatienceNs = 100 * kNsPerMs;
  const u64 deadline = MonotonicNs() + kPatienceNs;
  while (LoadAcquire(&own_memory_changing) && MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
  uptr count = 0;
  for (const AddressRange &place : own_memory) {
    const uptr end = LoadAcquire(&place.end);
    const uptr begin = LoadAcquire(&place.begin);
    if (begin && end > begin)
      ranges[count++] = {begin, end};
  }
  return count;
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

} // namespace pagetide

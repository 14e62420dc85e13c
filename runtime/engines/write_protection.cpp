//===- write_protection.cpp - Protect all memory at a period's end --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At a period's end the kernel's list of mappings shows as writable: pages
// whose protection was lifted, memory that is excluded, and memory that is new
// since the last time. New memory may have been written without a fault: those
// of its pages that exist are marked too.
//
//===----------------------------------------------------------------------===//

#include "engines/write_protection.h"

#include "engines/protected_areas.h"
#include "engines/write_tracking.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/internal_mem.h"
#include "platform/locks.h"
#include "platform/own_memory.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"
#include "platform/program_memory.h"
#include "shadow/shadow.h"
#include "threads/thread_memory.h"
#include "threads/unregistered.h"
#include "trace/pending_frames.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
struct LookState {
  MappingList mappings;
  PageVec<AddressRange> excluded; ///< sorted; they may overlap
  PageVec<AddressRange> open;     ///< what the kernel may write
  PageVec<AddressRange> opened;   ///< areas that were lifted as a whole
  PageVec<ProtectedArea> next;
  PageVec<WrittenRun> runs;
  PageVec<u32> unregistered; ///< threads that libc made for itself
  bool postponed; ///< nothing is protected again at this period's end
  bool warned_open;
};
} // namespace

PAGETIDE_RECORDER_STATE static LookState look;

/// If collecting is abandoned half way, Stop runs with faults still locked.
PAGETIDE_RECORDER_STATE static bool faults_locked;

void LockFaults() {
  constexpr u64 kShortNs = kNsPerMs;
  const u64 deadline = MonotonicNs() + kShortNs;
  // The kernel lists a thread for a moment after its end. So a thread that
  // looks unregistered may be gone soon.
  const auto something_starts = [] {
    look.unregistered.clear();
    ListUnregisteredThreads(look.unregistered);
    return LoadAcquire(&protection.starting) || !look.unregistered.empty();
  };
  while (something_starts() && MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
  if (!faults_locked)
    protection.lock.Acquire();
  faults_locked = true;
}
void UnlockFaults() {
  faults_locked = false;
  protection.lock.Release();
}

static bool IsLibcOrLoader(const char *path) {
  const char *name = internal_strrchr(path, '/');
  if (!name++)
    return false;
  static const char *const kHeads[] = {"libc.so", "libc-2", "ld-linux", "ld-2",
                                       "ld.so"};
  for (const char *head : kHeads)
    if (StartsWith(name, head))
      return true;
  return false;
}

/// Lists what must not be protected now. Forgets exclusions of memory that is
/// no longer mapped.
static void ListExcluded() {
  ListOwnMemory(look.excluded);
  look.excluded.push_back(OwnLibrary());
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const ThreadArea area = AreaOfSlot(slot);
    if (area.bytes)
      look.excluded.push_back({area.begin, area.begin + area.bytes});
  }
  for (u32 i = 0; i < protection.excluded_count;) {
    bool is_mapped = false;
    for (const Mapping &m : look.mappings.entries)
      is_mapped |= m.start < protection.excluded[i].end &&
                   protection.excluded[i].begin < m.start + m.bytes;
    if (is_mapped)
      look.excluded.push_back(protection.excluded[i++]);
    else
      protection.excluded[i] = protection.excluded[--protection.excluded_count];
  }
  uptr after_library = 0; // its zero-initialised variables may begin there
  for (const Mapping &m : look.mappings.entries) {
    const char *name = look.mappings.NameOf(m);
    if (IsLibcOrLoader(name) || (!*name && m.start == after_library)) {
      look.excluded.push_back({m.start, m.start + m.bytes});
      after_library = *name ? m.start + m.bytes : 0;
    } else if ((*name == '[' && internal_strcmp(name, "[heap]")) ||
               WhyNotToTrack(name)) {
      look.excluded.push_back({m.start, m.start + m.bytes});
    }
  }
  Sort(look.excluded.data(), look.excluded.size(),
       [](const AddressRange &a, const AddressRange &b) {
         return a.begin < b.begin;
       });
}

/// Lists what system calls under way may write.
static void ListInFlight() {
  look.open.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    // Ranges of other kinds are written by libc, whose faults are served.
    constexpr u32 kKernels = (u32)shadow_file::InFlightKind::kBuffer;
    const shadow_file::InFlightRange &range =
        shadow.slots[slot].inflight[kKernels];
    const u64 bytes = LoadAcquire(&range.bytes);
    const u64 address = LoadAcquire(&range.address);
    constexpr u64 kAnywhere = u64{1} << abi::kAddressBits;
    if (bytes && bytes < kAnywhere && InShadowedRange(address, bytes))
      look.open.push_back({address, address + bytes});
  }
}

static bool WasOpen(uptr begin, uptr end) {
  for (const AddressRange &r : look.opened)
    if (r.begin < end && begin < r.end)
      return true;
  return false;
}

/// Marks the pages of new memory that were written, or that exist if the kernel
/// cannot tell.
static void MarkNew(uptr begin, uptr end, bool is_shared) {
  look.runs.clear();
  if (!ListTouchedPages(begin, end, is_shared, look.runs)) {
    const bool may = WasOpen(begin, end);
    for (const WrittenRun &run : look.runs)
      for (u64 page = run.first; page < run.first + run.count; ++page)
        MarkPage(page, may || run.flags != trace::kKernelWritten
                           ? abi::kCellMay
                           : abi::kCellMarked);
    return;
  }
  constexpr uptr kMaxPages = 4096;
  u8 present[kMaxPages];
  for (uptr at = begin; at < end; at += kMaxPages * kPageBytes) {
    const uptr bytes = Min(end - at, kMaxPages * kPageBytes);
    if (Failed(Syscall(SYS_mincore, at, bytes, (uptr)present)))
      continue;
    for (uptr i = 0; i < bytes / kPageBytes; ++i)
      if (present[i] & 1)
        MarkPage((at >> kPageShift) + i, abi::kCellMay);
  }
}

[[noreturn]] static void AbandonProtection(int error) {
  BailOut("mprotect of the program's memory failed: %s%s", DescribeErrno(error),
          error == ENOMEM ? " (each run of written pages is a mapping of its "
                            "own: raise vm.max_map_count, lengthen the "
                            "period, or use engine uffd)"
                          : "");
}

/// Protects writable memory that is not excluded, and marks what is new in it.
/// `next`: index of the first lifted page that may lie in it.
static int ProtectRange(uptr begin, uptr end, const Mapping &m, uptr &next) {
  int error = 0;
  constexpr int kMaxTries = 3;
  // mprotect also fails on unmapped pages; another thread may map them again
  // immediately.
  for (int tries = 0; tries < kMaxTries; ++tries)
    if (!(error = SetRights(begin, end, (int)m.protection & ~PROT_WRITE)) ||
        !IsMapped(begin, end - begin))
      break;
  if (error) {
    if (IsMapped(begin, end - begin))
      return error;
    // All of it or a part has been unmapped. Protect what is left, page by
    // page.
    if (end - begin > kPageBytes)
      for (uptr at = begin; at < end; at += kPageBytes)
        if ((error = ProtectRange(at, at + kPageBytes, m, next)))
          return error;
    return 0;
  }
  look.next.push_back({begin, end, (int)m.protection, false});
  // Writable pages that are not listed as lifted are new.
  uptr at = begin;
  while (next < protection.lifted_count &&
         protection.lifted[next] << kPageShift < begin)
    ++next;
  for (; next < protection.lifted_count &&
         protection.lifted[next] << kPageShift < end;
       ++next) {
    const uptr page = protection.lifted[next] << kPageShift;
    if (at < page)
      MarkNew(at, page, m.shared);
    at = page + kPageBytes;
  }
  if (at < end)
    MarkNew(at, end, m.shared);
  return 0;
}

/// Calls visit(begin, end) for the parts that are not excluded, until it
/// returns an error.
template <typename Visit>
static int ForEachIncluded(uptr begin, uptr end, uptr &excluded, Visit visit) {
  while (excluded < look.excluded.size() &&
         look.excluded[excluded].end <= begin)
    ++excluded;
  uptr at = begin;
  for (uptr i = excluded; i < look.excluded.size() && at < end; ++i) {
    const AddressRange &e = look.excluded[i];
    if (e.begin >= end)
      break;
    if (e.end <= at)
      continue;
    if (at < e.begin)
      if (int error = visit(at, e.begin))
        return error;
    at = e.end;
  }
  return at < end ? visit(at, end) : 0;
}

static void SortLifted() {
  Sort(protection.lifted, protection.lifted_count);
  uptr kept = 0;
  for (uptr i = 0; i < protection.lifted_count; ++i)
    if (!kept || protection.lifted[kept - 1] != protection.lifted[i])
      protection.lifted[kept++] = protection.lifted[i];
  protection.lifted_count = kept;
}

/// Keeps the areas of a mapping that is read-only: nothing was written there.
static void KeepAreas(const Mapping &m) {
  const uptr end = m.start + m.bytes;
  for (uptr i = FirstAreaAt(m.start);
       i < protection.area_count && protection.areas[i].begin < end; ++i) {
    const ProtectedArea &area = protection.areas[i];
    if ((u32)(area.rights & ~PROT_WRITE) == m.protection)
      look.next.push_back({Max<uptr>(area.begin, m.start), Min(area.end, end),
                           area.rights, false});
  }
}

/// Joins neighbours with the same rights.
static void TakeNextAreas() {
  protection.area_count = 0;
  for (const ProtectedArea &a : look.next) {
    ProtectedArea *last = protection.area_count
                              ? &protection.areas[protection.area_count - 1]
                              : nullptr;
    if (last && last->end == a.begin && last->rights == a.rights)
      last->end = a.end;
    else if (protection.area_count < kMaxAreas)
      protection.areas[protection.area_count++] = a;
    else // writes there are not detected any more, but the program runs on
      SetRights(a.begin, a.end, a.rights);
  }
}

void ProtectAll() {
  look.postponed = true; // the recorder reports that the list is unreadable
  if (ReadMappings(look.mappings, ScratchRange))
    return;
  look.opened.clear();
  for (uptr i = 0; i < protection.area_count; ++i)
    if (protection.areas[i].open)
      look.opened.push_back(
          {protection.areas[i].begin, protection.areas[i].end});
  ListExcluded();
  ListInFlight();
  // Tested after the mappings were read: they may show a stack that is being
  // created.
  look.postponed = LoadAcquire(&protection.starting) != 0;
  if (look.postponed)
    return;
  SortLifted();
  // libc's own threads are not registered, and their stacks look like any new
  // memory.
  look.unregistered.clear();
  ListUnregisteredThreads(look.unregistered);
  const bool may_begin = look.unregistered.empty();
  look.next.clear();
  uptr next_lifted = 0, next_excluded = 0;
  int error = 0;
  for (const Mapping &m : look.mappings.entries) {
    if (!(m.protection & PROT_WRITE)) {
      KeepAreas(m);
      continue;
    }
    error = ForEachIncluded(
        m.start, m.start + m.bytes, next_excluded, [&](uptr begin, uptr end) {
          if (may_begin)
            return ProtectRange(begin, end, m, next_lifted);
          // Protect again only what was protected before.
          for (uptr i = FirstAreaAt(begin); i < protection.area_count; ++i) {
            const uptr from = Max(begin, protection.areas[i].begin);
            const uptr to = Min(end, protection.areas[i].end);
            if (from >= to)
              break;
            if (int e = ProtectRange(from, to, m, next_lifted))
              return e;
          }
          return 0;
        });
    if (error)
      break;
  }
  if (error) {
    UnprotectAll();
    AbandonProtection(error);
  }
  TakeNextAreas();
  look.next.clear();
  protection.lifted_count = 0;
  if (!look.opened.empty() && !look.warned_open) {
    look.warned_open = true;
    NoteLost(
        "engine mprotect: the kernel has no mapping left for another run of "
        "written pages (vm.max_map_count). From now on some periods list "
        "pages as possibly written that only exist");
  }
  StoreRelease(&protection.watching, 1);
}

void OpenForKernel() {
  if (look.postponed) // these stay writable without a fault
    for (uptr i = 0; i < protection.lifted_count; ++i)
      MarkPage(protection.lifted[i], abi::kCellMay);
  for (const AddressRange &r : look.open)
    for (uptr at = PageDown(r.begin); at < r.end; at += kPageBytes)
      LiftPage(at, abi::kCellMay);
}

void UnprotectAll() {
  for (uptr i = 0; i < protection.area_count; ++i)
    SetRights(protection.areas[i].begin, protection.areas[i].end,
              protection.areas[i].rights);
  for (const ProtectedArea &a : look.next) // if ProtectAll failed half way
    SetRights(a.begin, a.end, a.rights);
  look.next.clear();
  protection.area_count = protection.lifted_count = 0;
  StoreRelease(&protection.watching, 0);
}

bool IsProtectable(u64 page) { return AreaAt(page << kPageShift) != nullptr; }

} // namespace pagetide

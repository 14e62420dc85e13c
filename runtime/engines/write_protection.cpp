//===- write_protection.cpp - Written pages, by faults of a protected program ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An area is memory that the program may write and that is protected, but for
// the pages whose protection has been lifted since the last time: those are
// listed, and marked. At a period's end the kernel's list of mappings shows as
// writable what was lifted, what is left alone, and what is new since, which may
// have been written and not noticed: its pages that are there are marked too.
//
//===----------------------------------------------------------------------===//

#include "engines/write_protection.h"

#include "engines/write_tracking.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/own_memory.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"
#include "platform/program_events.h"
#include "shadow/shadow.h"
#include "threads/thread_start.h"
#include "trace/pending_frames.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

using namespace __sanitizer;

namespace pagetide {

constexpr uptr kPageBits = 12;
constexpr uptr kPageBytes = uptr{1} << kPageBits;
constexpr u64 kSegvBit = u64{1} << (SIGSEGV - 1);

namespace {
struct Area {
  uptr begin, end;
  int rights; ///< the program's
  bool open;  ///< lifted as a whole: its pages are not listed
};

/// Sorted and apart. The handler reads it, so that its memory is there from the
/// start.
constexpr uptr kMostAreas = uptr{1} << 16;
constexpr uptr kMostLifted = uptr{1} << 23; ///< 32 GiB of program memory
constexpr u32 kMostLeftAlone = 4096;
constexpr uptr kHandlerStack = 64 * 1024;
} // namespace

/// Held with all signals blocked, also by the handler. Whoever holds it writes
/// the runtime's memory alone.
static Lock lock;
static Area *areas;
static uptr area_count;
static u64 *lifted;
static uptr lifted_count;
static u32 watching; ///< between start and stop of the engine
static u32 starting;
static u32 forks_pending;
static u32 forking; ///< the thread that holds the lock while it forks
static AddressRange *left_alone;
static u32 left_alone_count;
/// What the program would have done about SIGSEGV.
static struct sigaction program_action;
static Sigaction *real_sigaction;

#define PAGETIDE_THREAD_LOCAL                                                  \
  static constinit thread_local __attribute__((tls_model("initial-exec")))
/// The calling thread is in fork.
PAGETIDE_THREAD_LOCAL bool thread_forks = false;
/// The stack that the thread's faults are handled on; null: the program's.
PAGETIDE_THREAD_LOCAL void *handler_stack = nullptr;
#undef PAGETIDE_THREAD_LOCAL

namespace {
/// Also SIGSEGV, which the runtime leaves open elsewhere.
class ScopedProtectionLock {
public:
  ScopedProtectionLock() {
    u64 all = ~u64{0};
    Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, (uptr)&saved_, 8);
    lock.Acquire();
  }
  ~ScopedProtectionLock() {
    lock.Release();
    Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&saved_, 0, 8);
  }
  ScopedProtectionLock(const ScopedProtectionLock &) = delete;
  ScopedProtectionLock &operator=(const ScopedProtectionLock &) = delete;

private:
  u64 saved_ = 0;
};
} // namespace

static int Protect(uptr begin, uptr end, int rights) {
  return ErrnoOf(Syscall(SYS_mprotect, begin, end - begin, (uptr)rights));
}

/// Marks go to one slot, whose thread does not matter. In a child of fork only
/// the forking thread's is left.
static uptr MarkBase() {
  static u32 slot = kFirstSlot;
  for (u32 i = 0; !shadow.slot_base[slot] && i < shadow_file::kMaxSlots; ++i)
    slot = i;
  return shadow.slot_base[slot];
}

static void Mark(u64 page, abi::CellValue value) {
  u8 *cell = (u8 *)(MarkBase() + WriteCellOffset(page));
  __atomic_fetch_or(cell, (u8)value, __ATOMIC_RELAXED);
}

//===- Areas --------------------------------------------------------------===//

/// The first area that ends behind the address.
static uptr FirstAreaAt(uptr address) {
  uptr first = 0, last = area_count;
  while (first < last) {
    uptr middle = first + (last - first) / 2;
    if (areas[middle].end <= address)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

static Area *AreaOf(uptr address) {
  const uptr i = FirstAreaAt(address);
  return i < area_count && areas[i].begin <= address ? &areas[i] : nullptr;
}

/// Puts `with` in the place of `count` areas from `at` on. False where there is
/// no room.
static bool Replace(uptr at, uptr count, const Area *with, uptr with_count) {
  if (area_count - count + with_count > kMostAreas)
    return false;
  internal_memmove(&areas[at + with_count], &areas[at + count],
                   (area_count - at - count) * sizeof(Area));
  for (uptr i = 0; i < with_count; ++i)
    areas[at + i] = with[i];
  area_count = area_count - count + with_count;
  return true;
}

/// Forgets the areas of [begin, end), and gives their pages the program's rights.
static void DropAreas(uptr begin, uptr end) {
  for (uptr i = FirstAreaAt(begin); i < area_count && areas[i].begin < end;) {
    const Area area = areas[i];
    const uptr from = Max(area.begin, begin), to = Min(area.end, end);
    Protect(from, to, area.rights);
    Area rest[2];
    uptr count = 0;
    if (area.begin < from)
      rest[count++] = {area.begin, from, area.rights, area.open};
    if (to < area.end)
      rest[count++] = {to, area.end, area.rights, area.open};
    if (!Replace(i, 1, rest, count))
      return; // the table is full: the area's rights are right where lifted
    i += count;
  }
}

/// Returns an errno.
static int AddArea(uptr begin, uptr end, int rights) {
  DropAreas(begin, end);
  const Area area = {begin, end, rights, false};
  if (!Replace(FirstAreaAt(begin), 0, &area, 1))
    return ENOMEM;
  const int error = Protect(begin, end, rights & ~PROT_WRITE);
  if (error)
    DropAreas(begin, end);
  return error;
}

//===- Lifting ------------------------------------------------------------===//

/// Lifts all of an area: where the kernel has no room for more mappings, or the
/// list none for more pages. What is written there in this period is not known.
static bool OpenArea(Area &area) {
  if (Protect(area.begin, area.end, area.rights))
    return false;
  area.open = true;
  return true;
}

static bool LiftPage(uptr address, abi::CellValue value) {
  Area *area = AreaOf(address);
  if (!area)
    return false;
  const u64 page = address >> kPageBits;
  Mark(page, value);
  if (area->open)
    return true;
  const uptr begin = page << kPageBits;
  if (lifted_count == kMostLifted ||
      Protect(begin, begin + kPageBytes, area->rights))
    return OpenArea(*area);
  lifted[lifted_count++] = page;
  return true;
}

static void LiftForKernel(uptr address, uptr bytes) {
  if (!LoadAcquire(&watching) || !bytes || !InShadowedRange(address, bytes))
    return;
  ScopedProtectionLock hold;
  const uptr end = (address + bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  for (uptr i = FirstAreaAt(address); i < area_count && areas[i].begin < end;
       ++i) {
    const uptr from = Max(areas[i].begin, address & ~(kPageBytes - 1));
    for (uptr at = from; at < Min(areas[i].end, end); at += kPageBytes)
      LiftPage(at, abi::kCellMay);
  }
}

//===- Faults -------------------------------------------------------------===//

/// The fault is the program's own: it gets what it asked for.
static void PassOn(int number, siginfo_t *info, ucontext_t *context) {
  const struct sigaction action = program_action;
  const bool of_kernel = info->si_code > 0;
  if (action.sa_handler == SIG_IGN && !of_kernel)
    return;
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
    // A signal that is sent has no instruction that would be tried again.
    struct sigaction defaults = {};
    defaults.sa_handler = SIG_DFL;
    real_sigaction(number, &defaults, nullptr);
    if (!of_kernel)
      Syscall(SYS_tgkill, GetPidRaw(), GetTidRaw(), (uptr)number);
    return;
  }
  if (action.sa_flags & (int)SA_RESETHAND)
    program_action.sa_handler = SIG_DFL;
  u64 mask, before;
  internal_memcpy(&mask, &action.sa_mask, sizeof(mask));
  internal_memcpy(&before, &context->uc_sigmask, sizeof(before));
  mask = (mask | before) & ~kSegvBit;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&mask, 0, 8);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
}

/// All signals are blocked.
static void HandleFault(int number, siginfo_t *info, void *p) {
  auto *context = (ucontext_t *)p;
  constexpr greg_t kWrite = 2; // of the processor's error code
  if (info->si_code == SEGV_ACCERR &&
      (context->uc_mcontext.gregs[REG_ERR] & kWrite)) {
    const bool holds = LoadAcquire(&forking) == GetTidRaw();
    if (!holds)
      lock.Acquire();
    const bool is_lifted = LiftPage((uptr)info->si_addr, abi::kCellMarked);
    if (!holds)
      lock.Release();
    if (is_lifted)
      return;
  }
  PassOn(number, info, context);
}

static int SetProgramFaultAction(const struct sigaction *action,
                                 struct sigaction *previous) {
  ScopedProtectionLock hold;
  if (previous)
    *previous = program_action;
  if (action)
    program_action = *action;
  return 0;
}

static uptr StackOfHandler() {
  stack_t stack = {};
  Syscall(SYS_sigaltstack, 0, (uptr)&stack);
  return stack.ss_flags & SS_DISABLE ? 0 : (uptr)stack.ss_sp;
}

static void EnterThread() {
  // libc's own threads have all blocked.
  u64 segv = kSegvBit;
  Syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (uptr)&segv, 0, 8);
  if (StackOfHandler())
    return;
  void *p = MapAnonymous(kHandlerStack, false);
  if (!p)
    return; // the stack itself is never protected
  handler_stack = p;
  stack_t stack = {};
  stack.ss_sp = p;
  stack.ss_size = kHandlerStack;
  Syscall(SYS_sigaltstack, (uptr)&stack);
}

static void LeaveThread() {
  if (!handler_stack)
    return;
  if (StackOfHandler() == (uptr)handler_stack) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (Failed(Syscall(SYS_sigaltstack, (uptr)&none)))
      return; // a handler that never returns runs on it
  }
  Unmap(handler_stack, kHandlerStack);
  handler_stack = nullptr;
}

//===- What the program does to its memory --------------------------------===//

static void ExcludeMemory(uptr begin, uptr end) {
  begin &= ~(kPageBytes - 1);
  end = (end + kPageBytes - 1) & ~(kPageBytes - 1);
  ScopedProtectionLock hold;
  DropAreas(begin, end);
  for (u32 i = 0; i < left_alone_count; ++i)
    if (left_alone[i].begin == begin && left_alone[i].end == end)
      return;
  if (left_alone_count < kMostLeftAlone)
    left_alone[left_alone_count++] = {begin, end};
}

/// Gives a mapping in which there is no page yet one: the kernel then regards all
/// of it as of one origin, and can join again what protection takes apart. The
/// page holds zeros, as before.
static void MakeOnePage(uptr begin) {
  constexpr uptr kPopulateWrite = 23; // MADV_POPULATE_WRITE, Linux 5.14
  Syscall(SYS_madvise, begin, kPageBytes, kPopulateWrite);
}

static void NoteProgramRights(uptr address, uptr bytes, int rights) {
  if (!LoadAcquire(&watching) || !(rights & PROT_WRITE) || !bytes ||
      (address & (kPageBytes - 1)) || !InShadowedRange(address, bytes))
    return;
  ScopedProtectionLock hold;
  AddArea(address, (address + bytes + kPageBytes - 1) & ~(kPageBytes - 1),
          rights);
}

static void NoteNewAnonymous(uptr address, uptr bytes, int rights) {
  if (LoadAcquire(&watching) && (rights & PROT_WRITE))
    MakeOnePage(address);
  NoteProgramRights(address, bytes, rights);
}

static void GiveBackRights(uptr address, uptr bytes) {
  if (!bytes || !InShadowedRange(address, bytes))
    return;
  ScopedProtectionLock hold;
  DropAreas(address & ~(kPageBytes - 1),
            (address + bytes + kPageBytes - 1) & ~(kPageBytes - 1));
}

static int RightsOf(uptr address) {
  ScopedProtectionLock hold;
  const Area *area = AreaOf(address);
  return area ? area->rights : 0;
}

/// Nobody waits longer for what another thread is at.
constexpr u64 kPatienceNs = 100 * kNsPerMs;

/// A thread or process that is being created has its stack, and what its creator
/// gave it, written with all signals blocked. Meanwhile no memory is protected
/// anew, and what is not protected may be written unnoticed.
static void CountStarting(int change) {
  const u64 deadline = MonotonicNs() + kPatienceNs;
  for (;;) {
    __atomic_fetch_add(&starting, (u32)change, __ATOMIC_SEQ_CST);
    if (change < 0 || thread_forks ||
        !__atomic_load_n(&forks_pending, __ATOMIC_SEQ_CST) ||
        MonotonicNs() > deadline)
      return;
    __atomic_fetch_sub(&starting, (u32)change, __ATOMIC_SEQ_CST);
    Syscall(SYS_sched_yield);
  }
}

/// The child must not get the stack of a thread that is being created, which it
/// could not tell from other memory. So those threads start first, and none is
/// created until the fork is done.
static void BeginFork() {
  thread_forks = true;
  __atomic_fetch_add(&forks_pending, 1, __ATOMIC_SEQ_CST);
  const u64 deadline = MonotonicNs() + kPatienceNs;
  while (__atomic_load_n(&starting, __ATOMIC_SEQ_CST) &&
         MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
}

//===- The end of a period ------------------------------------------------===//

namespace {
struct LookState {
  MappingList mappings;
  PageVec<AddressRange> excluded; ///< sorted; they may overlap
  PageVec<AddressRange> open;     ///< what the kernel may be writing
  PageVec<AddressRange> opened;   ///< areas that were
  PageVec<Area> next;
  PageVec<WrittenRun> runs;
  PageVec<u32> strangers; ///< threads that libc made for itself
  bool put_off;           ///< nothing is protected anew at this period's end
  bool told_open;
};
} // namespace

PAGETIDE_RECORDER_STATE static LookState look;

/// Where something is left off in between, stop comes while it is held.
PAGETIDE_RECORDER_STATE static bool faults_locked;

void LockFaults() {
  constexpr u64 kShortNs = kNsPerMs;
  const u64 deadline = MonotonicNs() + kShortNs;
  const auto somebody_starts = [] {
    // The kernel lists a thread for a moment after its end.
    look.strangers.clear();
    ListStrangers(look.strangers);
    return LoadAcquire(&starting) || !look.strangers.empty();
  };
  while (somebody_starts() && MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
  if (!faults_locked)
    lock.Acquire();
  faults_locked = true;
}
void UnlockFaults() {
  faults_locked = false;
  lock.Release();
}

static bool StartsWith(const char *text, const char *head) {
  return !internal_strncmp(text, head, internal_strlen(head));
}

static bool IsLibcOrLoader(const char *path) {
  const char *name = internal_strrchr(path, '/');
  if (!name++)
    return false;
  static const char *const heads[] = {"libc.so", "libc-2", "ld-linux", "ld-2",
                                      "ld.so"};
  for (const char *head : heads)
    if (StartsWith(name, head))
      return true;
  return false;
}

/// What is never protected. Forgets what is not mapped any more.
static void ListExcluded() {
  ListOwnMemory(look.excluded);
  look.excluded.push_back(OwnLibrary());
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const ThreadArea area = AreaOfSlot(slot);
    if (area.bytes)
      look.excluded.push_back({area.begin, area.begin + area.bytes});
  }
  for (u32 i = 0; i < left_alone_count;) {
    bool is_mapped = false;
    for (const Mapping &m : look.mappings.entries)
      is_mapped |= m.start < left_alone[i].end &&
                   left_alone[i].begin < m.start + m.bytes;
    if (is_mapped)
      look.excluded.push_back(left_alone[i++]);
    else
      left_alone[i] = left_alone[--left_alone_count];
  }
  uptr after_library = 0; // where its variables without a value may go on
  for (const Mapping &m : look.mappings.entries) {
    const char *name = look.mappings.NameOf(m);
    if (IsLibcOrLoader(name) || (!*name && m.start == after_library)) {
      look.excluded.push_back({m.start, m.start + m.bytes});
      after_library = *name ? m.start + m.bytes : 0;
    } else if ((name[0] == '[' && internal_strcmp(name, "[heap]")) ||
               WhyNotToTrack(name)) {
      look.excluded.push_back({m.start, m.start + m.bytes});
    }
  }
  Sort(look.excluded.data(), look.excluded.size(),
       [](const AddressRange &a, const AddressRange &b) {
         return a.begin < b.begin;
       });
}

/// What system calls under way may be writing.
static void ListInFlight() {
  look.open.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    // Of the others libc itself writes, and may fault.
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

/// Marks what of new memory is there.
static void MarkNew(uptr begin, uptr end, bool is_shared) {
  look.runs.clear();
  if (!ListTouchedPages(begin, end, is_shared, look.runs)) {
    const bool may = WasOpen(begin, end);
    for (const WrittenRun &run : look.runs)
      for (u64 page = run.first; page < run.first + run.count; ++page)
        Mark(page, may || run.flags != trace::kKernelWritten
                       ? abi::kCellMay
                       : abi::kCellMarked);
    return;
  }
  // The kernel does not tell: what is in memory may have been written.
  constexpr uptr kMost = 4096;
  u8 present[kMost];
  for (uptr at = begin; at < end; at += kMost * kPageBytes) {
    const uptr bytes = Min(end - at, kMost * kPageBytes);
    if (Failed(Syscall(SYS_mincore, at, bytes, (uptr)present)))
      continue;
    for (uptr i = 0; i < bytes / kPageBytes; ++i)
      if (present[i] & 1)
        Mark((at >> kPageBits) + i, abi::kCellMay);
  }
}

[[noreturn]] static void GiveUpProtecting(int error) {
  LeaveOff("the program's memory cannot be protected any more: %s%s",
           DescribeErrno(error),
           error == ENOMEM ? " (each run of written pages is a mapping of its "
                             "own: raise vm.max_map_count, lengthen the "
                             "period, or take engine uffd)"
                           : "");
}

static bool IsMapped(uptr begin, uptr end) {
  constexpr uptr kMost = 4096;
  u8 present[kMost];
  for (uptr at = begin; at < end; at += kMost * kPageBytes)
    if (Failed(Syscall(SYS_mincore, at, Min(end - at, kMost * kPageBytes),
                       (uptr)present)))
      return false;
  return true;
}

/// Writable memory that is not excluded: protected from here on.
static int ProtectRange(uptr begin, uptr end, const Mapping &m, uptr &next) {
  int error = 0;
  // What is not mapped is an error too, and may be mapped again at once.
  for (int tries = 0; tries < 3; ++tries)
    if (!(error = Protect(begin, end, (int)m.protection & ~PROT_WRITE)) ||
        !IsMapped(begin, end))
      break;
  if (error) {
    if (IsMapped(begin, end))
      return error;
    // Gone since, or a part of it, which is when the rest may be protected.
    if (end - begin > kPageBytes)
      for (uptr at = begin; at < end; at += kPageBytes)
        if ((error = ProtectRange(at, at + kPageBytes, m, next)))
          return error;
    return 0;
  }
  look.next.push_back({begin, end, (int)m.protection, false});
  // What is not listed as lifted is new.
  uptr at = begin;
  while (next < lifted_count && lifted[next] << kPageBits < begin)
    ++next;
  for (; next < lifted_count && lifted[next] << kPageBits < end; ++next) {
    const uptr page = lifted[next] << kPageBits;
    if (at < page)
      MarkNew(at, page, m.shared);
    at = page + kPageBytes;
  }
  if (at < end)
    MarkNew(at, end, m.shared);
  return 0;
}

/// Calls visit(begin, end) for the parts that are not excluded.
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
  Sort(lifted, lifted_count);
  uptr kept = 0;
  for (uptr i = 0; i < lifted_count; ++i)
    if (!kept || lifted[kept - 1] != lifted[i])
      lifted[kept++] = lifted[i];
  lifted_count = kept;
}

/// The areas of read-only mappings that stay as they are.
static void KeepAreas(const Mapping &m) {
  const uptr end = m.start + m.bytes;
  for (uptr i = FirstAreaAt(m.start); i < area_count && areas[i].begin < end;
       ++i) {
    const Area &area = areas[i];
    if ((u32)(area.rights & ~PROT_WRITE) == m.protection)
      look.next.push_back({Max<uptr>(area.begin, m.start), Min(area.end, end),
                           area.rights, false});
  }
}

/// Neighbours are one.
static void TakeNextAreas() {
  area_count = 0;
  for (const Area &a : look.next) {
    Area *last = area_count ? &areas[area_count - 1] : nullptr;
    if (last && last->end == a.begin && last->rights == a.rights)
      last->end = a.end;
    else if (area_count < kMostAreas)
      areas[area_count++] = a;
    else
      Protect(a.begin, a.end, a.rights); // not watched rather than stuck
  }
}

void ProtectAll() {
  look.put_off = true; // where the list cannot be read, of which others tell
  if (ReadMappings(look.mappings, ScratchRange))
    return;
  look.opened.clear();
  for (uptr i = 0; i < area_count; ++i)
    if (areas[i].open)
      look.opened.push_back({areas[i].begin, areas[i].end});
  ListExcluded();
  ListInFlight();
  // Looked at after the mappings, which may show a stack that is being made.
  look.put_off = LoadAcquire(&starting) != 0;
  if (look.put_off)
    return;
  SortLifted();
  // The stack of a thread that libc makes for itself looks like any new memory.
  look.strangers.clear();
  ListStrangers(look.strangers);
  const bool may_begin = look.strangers.empty();
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
          // Only what was protected before.
          for (uptr i = FirstAreaAt(begin); i < area_count; ++i) {
            const uptr from = Max(begin, areas[i].begin);
            const uptr to = Min(end, areas[i].end);
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
    GiveUpProtecting(error);
  }
  TakeNextAreas();
  look.next.clear();
  lifted_count = 0;
  if (!look.opened.empty() && !look.told_open) {
    look.told_open = true;
    NoteLost("engine mprotect: more runs of written pages than the kernel has "
             "mappings for (vm.max_map_count): from here on some periods list "
             "pages as possible that are only there");
  }
  StoreRelease(&watching, 1);
}

void OpenForKernel() {
  if (look.put_off) // writes to these go unnoticed
    for (uptr i = 0; i < lifted_count; ++i)
      Mark(lifted[i], abi::kCellMay);
  for (const AddressRange &r : look.open)
    for (uptr at = r.begin & ~(kPageBytes - 1); at < r.end; at += kPageBytes)
      LiftPage(at, abi::kCellMay);
}

void UnprotectAll() {
  for (uptr i = 0; i < area_count; ++i)
    Protect(areas[i].begin, areas[i].end, areas[i].rights);
  for (const Area &a : look.next) // those of a look that failed half way
    Protect(a.begin, a.end, a.rights);
  look.next.clear();
  area_count = lifted_count = 0;
  StoreRelease(&watching, 0);
}

bool IsProtectable(u64 page) { return AreaOf(page << kPageBits) != nullptr; }

//===- Fork ---------------------------------------------------------------===//

/// Nothing is protected while a thread forks; its own faults are served.
static void LockProtection() {
  lock.Acquire();
  StoreRelease(&forking, GetTidRaw());
}

static void UnlockProtection() {
  StoreRelease(&forking, 0);
  lock.Release();
  __atomic_fetch_sub(&forks_pending, 1, __ATOMIC_SEQ_CST);
  thread_forks = false;
}

static void RenewProtectionInChild() {
  lock.Reset();
  forking = forks_pending = 0;
  thread_forks = false;
  starting = 0;
}

//===- The engine listens -------------------------------------------------===//

static constexpr ProgramEvents kEvents = {
    .kernel_will_write = LiftForKernel,
    .exclude_from_protection = ExcludeMemory,
    .mapping_will_change = GiveBackRights,
    .rights_were_set = NoteProgramRights,
    .anonymous_was_mapped = NoteNewAnonymous,
    .program_rights_of = RightsOf,
    .hold_protection = CountStarting,
    .set_fault_action = SetProgramFaultAction,
    .thread_begins = EnterThread,
    .thread_ends = LeaveThread,
    .fork_begins = BeginFork,
    .lock_for_fork = LockProtection,
    .unlock_after_fork = UnlockProtection,
    .renew_in_child = RenewProtectionInChild,
};

const char *PrepareProtection(Sigaction *sigaction) {
  areas = (Area *)MapAnonymous(kMostAreas * sizeof(Area), false);
  lifted = (u64 *)MapAnonymous(kMostLifted * sizeof(u64), false);
  left_alone = (AddressRange *)MapAnonymous(
      kMostLeftAlone * sizeof(AddressRange), false);
  if (!areas || !lifted || !left_alone)
    return "memory for its tables";
  real_sigaction = sigaction;
  struct sigaction ours = {};
  ours.sa_sigaction = HandleFault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  if (real_sigaction(SIGSEGV, &ours, &program_action))
    return "a handler of SIGSEGV";
  // Faults must be served wherever the runtime blocks signals.
  signals_to_block = ~kSegvBit;
  program_events = &kEvents;
  EnterThread();
  return nullptr;
}

} // namespace pagetide

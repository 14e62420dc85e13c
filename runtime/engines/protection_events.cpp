//===- protection_events.cpp - What a program with protected memory does --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/protection_events.h"

#include "arch/signals.h"
#include "engines/protected_areas.h"
#include "platform/program_events.h"
#include "shadow/shadow.h"
#include "threads/slots.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

using namespace __sanitizer;

namespace pagetide {

namespace {
constexpr u64 kSegvBit = u64{1} << (SIGSEGV - 1);
constexpr uptr kHandlerStack = 64 * 1024;
/// How long a thread waits for what another one has begun.
constexpr u64 kMaxWaitNs = 100 * kNsPerMs;
} // namespace

/// What the program wants done about SIGSEGV.
static struct sigaction program_action;
static Sigaction *real_sigaction;
static u32 forks_pending; ///< threads in fork
static u32 forking;       ///< the thread that holds the lock while it forks

/// The stack that the thread's faults are handled on; null: the program's.
static constinit thread_local
    __attribute__((tls_model("initial-exec"))) void *handler_stack = nullptr;

static void SetSignalMask(u64 mask) {
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&mask, 0, 8);
}

//===- Faults -------------------------------------------------------------===//

/// The fault is the program's own. Does what the program wants done about it.
static void PassOn(int number, siginfo_t *info, ucontext_t *context) {
  const struct sigaction action = program_action;
  const bool of_kernel = info->si_code > 0;
  if (action.sa_handler == SIG_IGN && !of_kernel)
    return;
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
    struct sigaction defaults = {};
    defaults.sa_handler = SIG_DFL;
    real_sigaction(number, &defaults, nullptr);
    // A fault happens again when the handler returns. A signal that was sent
    // does not.
    if (!of_kernel)
      Syscall(SYS_tgkill, GetPidRaw(), GetTidRaw(), (uptr)number);
    return;
  }
  if (action.sa_flags & (int)SA_RESETHAND)
    program_action.sa_handler = SIG_DFL;
  u64 mask, before;
  internal_memcpy(&mask, &action.sa_mask, sizeof(mask));
  internal_memcpy(&before, &context->uc_sigmask, sizeof(before));
  SetSignalMask((mask | before) & ~kSegvBit);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
}

/// All signals are blocked.
static void HandleFault(int number, siginfo_t *info, void *p) {
  auto *context = (ucontext_t *)p;
  if (info->si_code == SEGV_ACCERR && IsWriteFault(*context)) {
    const bool holds = LoadAcquire(&forking) == GetTidRaw();
    if (!holds)
      protection.lock.Acquire();
    const bool is_lifted = LiftPage((uptr)info->si_addr, abi::kCellMarked);
    if (!holds)
      protection.lock.Release();
    if (is_lifted)
      return;
  }
  PassOn(number, info, context);
}

static int SetFaultAction(const struct sigaction *action,
                          struct sigaction *previous) {
  ScopedProtectionLock hold;
  if (previous)
    *previous = program_action;
  if (action)
    program_action = *action;
  return 0;
}

//===- Threads ------------------------------------------------------------===//

/// The thread's alternate stack for signals; 0: none.
static uptr AlternateStack() {
  stack_t stack = {};
  Syscall(SYS_sigaltstack, 0, (uptr)&stack);
  return stack.ss_flags & SS_DISABLE ? 0 : (uptr)stack.ss_sp;
}

static void BeginThread() {
  // libc's own threads block all signals.
  u64 segv = kSegvBit;
  Syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, (uptr)&segv, 0, 8);
  if (AlternateStack())
    return;
  void *p = MapAnonymous(kHandlerStack, false);
  if (!p)
    return; // the thread's own stack serves too: it is never protected
  handler_stack = p;
  stack_t stack = {};
  stack.ss_sp = p;
  stack.ss_size = kHandlerStack;
  Syscall(SYS_sigaltstack, (uptr)&stack);
}

static void EndThread() {
  if (!handler_stack)
    return;
  if (AlternateStack() == (uptr)handler_stack) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (Failed(Syscall(SYS_sigaltstack, (uptr)&none)))
      return; // a handler that never returns is running on it
  }
  Unmap(handler_stack, kHandlerStack);
  handler_stack = nullptr;
}

/// Waits while a fork waits: see BeginFork.
static void CountStarting(int change) {
  Protection &p = protection;
  const u64 deadline = MonotonicNs() + kMaxWaitNs;
  for (;;) {
    __atomic_fetch_add(&p.starting, (u32)change, __ATOMIC_SEQ_CST);
    if (change < 0 || self.forks ||
        !__atomic_load_n(&forks_pending, __ATOMIC_SEQ_CST) ||
        MonotonicNs() > deadline)
      return;
    __atomic_fetch_sub(&p.starting, (u32)change, __ATOMIC_SEQ_CST);
    Syscall(SYS_sched_yield);
  }
}

//===- Memory -------------------------------------------------------------===//

static void LiftForKernel(uptr address, uptr bytes) {
  Protection &p = protection;
  if (!LoadAcquire(&p.watching) || !bytes || !InShadowedRange(address, bytes))
    return;
  ScopedProtectionLock hold;
  const uptr end = PageUp(address + bytes);
  for (uptr i = FirstAreaAt(address);
       i < p.area_count && p.areas[i].begin < end; ++i)
    for (uptr at = Max(p.areas[i].begin, PageDown(address));
         at < Min(p.areas[i].end, end); at += kPageBytes)
      LiftPage(at, abi::kCellMay);
}

static void ExcludeRange(uptr begin, uptr end) {
  ScopedProtectionLock hold;
  Exclude(PageDown(begin), PageUp(end));
}

static void GiveBackRights(uptr address, uptr bytes) {
  if (!bytes || !InShadowedRange(address, bytes))
    return;
  ScopedProtectionLock hold;
  DropAreas(PageDown(address), PageUp(address + bytes));
}

static void NoteRights(uptr address, uptr bytes, int rights) {
  if (!LoadAcquire(&protection.watching) || !(rights & PROT_WRITE) || !bytes ||
      address != PageDown(address) || !InShadowedRange(address, bytes))
    return;
  ScopedProtectionLock hold;
  AddArea(address, PageUp(address + bytes), rights);
}

/// Gives an empty mapping its first page, which holds zeros as before. The
/// kernel can then join again what protection divides, because all of the
/// mapping has one origin (one anon_vma).
static void PopulateOnePage(uptr begin) {
  constexpr uptr kPopulateWrite = 23; // MADV_POPULATE_WRITE, Linux 5.14
  Syscall(SYS_madvise, begin, kPageBytes, kPopulateWrite);
}

static void NoteAnonymous(uptr address, uptr bytes, int rights) {
  if (LoadAcquire(&protection.watching) && (rights & PROT_WRITE))
    PopulateOnePage(address);
  NoteRights(address, bytes, rights);
}

static int RightsOf(uptr address) {
  ScopedProtectionLock hold;
  const ProtectedArea *area = AreaAt(address);
  return area ? area->rights : 0;
}

//===- Fork ---------------------------------------------------------------===//

/// The child must not get the stack of a thread that is being created: it
/// cannot tell that stack from other memory. So the fork waits until those
/// threads have started, and no thread is created until the fork is done.
static void BeginFork() {
  self.forks = true;
  __atomic_fetch_add(&forks_pending, 1, __ATOMIC_SEQ_CST);
  const u64 deadline = MonotonicNs() + kMaxWaitNs;
  while (__atomic_load_n(&protection.starting, __ATOMIC_SEQ_CST) &&
         MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
}

/// Nothing is protected while a thread forks. That thread's own faults are
/// served.
static void LockForFork() {
  protection.lock.Acquire();
  StoreRelease(&forking, GetTidRaw());
}

static void UnlockAfterFork() {
  StoreRelease(&forking, 0);
  protection.lock.Release();
  __atomic_fetch_sub(&forks_pending, 1, __ATOMIC_SEQ_CST);
  self.forks = false;
}

static void RenewInChild() {
  protection.lock.Reset();
  forking = forks_pending = 0;
  self.forks = false;
  protection.starting = 0;
}

//===- Start --------------------------------------------------------------===//

static constexpr ProgramEvents kEvents = {
    .kernel_will_write = LiftForKernel,
    .exclude_from_protection = ExcludeRange,
    .mapping_will_change = GiveBackRights,
    .rights_were_set = NoteRights,
    .anonymous_was_mapped = NoteAnonymous,
    .program_rights_of = RightsOf,
    .hold_protection = CountStarting,
    .set_fault_action = SetFaultAction,
    .thread_begins = BeginThread,
    .thread_ends = EndThread,
    .fork_begins = BeginFork,
    .lock_for_fork = LockForFork,
    .unlock_after_fork = UnlockAfterFork,
    .renew_in_child = RenewInChild,
};

const char *PrepareProtection(Sigaction *sigaction) {
  if (!MapProtectionTables())
    return "mmap failed for its tables (out of memory)";
  real_sigaction = sigaction;
  struct sigaction ours = {};
  ours.sa_sigaction = HandleFault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  if (real_sigaction(SIGSEGV, &ours, &program_action))
    return "sigaction failed for SIGSEGV";
  // Faults must be served wherever the runtime blocks signals.
  signals_to_block = ~kSegvBit;
  program_events = &kEvents;
  BeginThread();
  return nullptr;
}

} // namespace pagetide

//===- late_start_point.cpp - Calls at which marks can be switched on -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/late_start_point.h"

#include "interceptors/real_functions.h"
#include "platform/start_data.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <signal.h>
#include <sys/syscall.h>

namespace pagetide {

PAGETIDE_START_DATA static u64 blocked_at_start;

static u64 BlockedSignals() {
  u64 mask = 0;
  Syscall(SYS_rt_sigprocmask, 0, 0, (uptr)&mask, sizeof(mask));
  return mask;
}

/// Whether this may be in a handler of a signal, which may have interrupted
/// code that holds locks. While a handler runs, its signal is blocked. The
/// program may also block signals that have no handler, to wait for them. A
/// handler of an error may have been taken away as it began (SA_RESETHAND).
static bool MayBeInHandler() {
  constexpr u64 kErrors = u64{1} << (SIGSEGV - 1) | u64{1} << (SIGBUS - 1) |
                          u64{1} << (SIGFPE - 1) | u64{1} << (SIGILL - 1) |
                          u64{1} << (SIGABRT - 1) | u64{1} << (SIGTRAP - 1);
  u64 blocked = BlockedSignals() & ~blocked_at_start;
  if (blocked & kErrors)
    return true;
  for (; blocked; blocked &= blocked - 1) {
    struct {
      uptr handler, flags, restorer;
      u64 mask;
    } action; // as the kernel has it
    const uptr number = (uptr)__builtin_ctzll(blocked) + 1;
    if (Failed(Syscall(SYS_rt_sigaction, number, 0, (uptr)&action,
                       sizeof(action.mask))) ||
        (action.handler != (uptr)SIG_DFL && action.handler != (uptr)SIG_IGN))
      return true;
  }
  return false;
}

/// The process whose memory this is. A child of vfork has another number.
PAGETIDE_START_DATA static u32 process;

/// What the variables held before they were set to null.
static void *held[1024];
static void (*start_armed)();
static bool armed;

void InitLateStartPoint() {
  const RealFunctions all = AllRealFunctions();
  CHECK_LE(all.end - all.begin, sizeof(held) / sizeof(*held));
  blocked_at_start = BlockedSignals();
  process = GetPidRaw();
}

static void Restore() {
  const RealFunctions all = AllRealFunctions();
  for (const RealFunction *f = all.begin; f < all.end; ++f)
    if (!f->AtCallSites() && !*f->Address())
      __atomic_store_n(f->Address(), held[f - all.begin], __ATOMIC_RELEASE);
}

/// True for functions that libc itself calls by their exported names, perhaps
/// with locks held.
static bool IsCalledByLibc(const char *name) {
  static const char *const kAllocators[] = {"calloc", "realloc", "reallocarray",
                                            "posix_memalign"};
  for (const char *allocator : kAllocators)
    if (!__sanitizer::internal_strcmp(name, allocator))
      return true;
  return false;
}

/// The program calls `function` while a late start is armed. If it can be
/// carried out here, does so. Returns what the call goes on in, or null if that
/// has to be resolved.
static void *AtLateStartPoint(const RealFunction &function) {
  if (!__atomic_load_n(&armed, __ATOMIC_ACQUIRE))
    return nullptr;
  void *const real = held[&function - AllRealFunctions().begin];
  if (process != GetPidRaw() || IsCalledByLibc(function.Name()) ||
      MayBeInHandler())
    return real;
  if (!__atomic_exchange_n(&armed, false, __ATOMIC_ACQ_REL))
    return real; // another thread carries it out
  Restore();
  start_armed();
  return IsIdle() ? real : function.Interceptor();
}

void ArmLateStart(void (*start)()) {
  const RealFunctions all = AllRealFunctions();
  if (process != GetPidRaw())
    return;
  start_armed = start;
  if (__atomic_exchange_n(&armed, true, __ATOMIC_ACQ_REL))
    return;
  before_resolving = AtLateStartPoint;
  for (const RealFunction *f = all.begin; f < all.end; ++f)
    if (!f->AtCallSites()) {
      held[f - all.begin] = *f->Address();
      __atomic_store_n(f->Address(), nullptr, __ATOMIC_RELEASE);
    }
}

void RenewLateStartPointInChild() {
  process = GetPidRaw();
  if (__atomic_exchange_n(&armed, false, __ATOMIC_ACQ_REL))
    Restore();
}

} // namespace pagetide

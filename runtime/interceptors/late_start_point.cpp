//===- late_start_point.cpp - Calls at which marks can be switched on -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/late_start_point.h"

#include "interceptors/real_functions.h"
#include "platform/interrupted_code.h"
#include "platform/start_data.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

namespace pagetide {

/// The process whose memory this is. A child of vfork has another number.
PAGETIDE_START_DATA static u32 process;

/// What the variables held before they were set to null.
static void *held[2048];
static void (*start_armed)();
static bool armed;

void InitLateStartPoint() {
  const RealFunctions all = AllRealFunctions();
  CHECK_LE(all.end - all.begin, sizeof(held) / sizeof(*held));
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

/// Carries out the late start, unless another thread does so.
static bool CarryOut() {
  if (!__atomic_exchange_n(&armed, false, __ATOMIC_ACQ_REL))
    return false;
  Restore();
  start_armed();
  return true;
}

/// The program calls `function` while a late start is armed. If it can be
/// carried out here, does so. Returns what the call goes on in, or null if that
/// has to be resolved.
static void *AtLateStartPoint(const RealFunction &function) {
  if (!__atomic_load_n(&armed, __ATOMIC_ACQUIRE))
    return nullptr;
  void *const real = held[&function - AllRealFunctions().begin];
  if (process != GetPidRaw() || IsCalledByLibc(function.Name()) ||
      IsInHandler((uptr)__builtin_frame_address(0)) || !CarryOut())
    return real;
  return IsIdle() ? real : function.Interceptor();
}

/// In the handler, with the signals blocked that were so before it: other
/// threads may wait for this one to take theirs.
static void CarryOutInHandler(const siginfo_t &signal,
                              const ucontext_t &interrupted) {
  const int error = errno;
  u64 blocked;
  __builtin_memcpy(&blocked, &interrupted.uc_sigmask, sizeof(blocked));
  blocked |= u64{1} << (signal.si_signo - 1);
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&blocked, 0, sizeof(blocked));
  CarryOut();
  errno = error;
}

bool LateStart(void (*start)(), const siginfo_t &signal,
               const ucontext_t &interrupted) {
  const RealFunctions all = AllRealFunctions();
  if (process != GetPidRaw())
    return true;
  start_armed = start;
  if (!__atomic_exchange_n(&armed, true, __ATOMIC_ACQ_REL)) {
    before_resolving = AtLateStartPoint;
    for (const RealFunction *f = all.begin; f < all.end; ++f)
      if (!f->AtCallSites()) {
        held[f - all.begin] = *f->Address();
        __atomic_store_n(f->Address(), nullptr, __ATOMIC_RELEASE);
      }
  }
  if (!MayTakeLocks(interrupted))
    return false;
  CarryOutInHandler(signal, interrupted);
  return true;
}

void RenewLateStartPointInChild() {
  process = GetPidRaw();
  if (__atomic_exchange_n(&armed, false, __ATOMIC_ACQ_REL))
    Restore();
}

} // namespace pagetide

//===- deadly_calls.cpp - Calls for which a filter ends the process -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter that ends a process gives it no chance to say why. So a child makes
// each call first, with arguments that the kernel refuses.

#include "platform/deadly_calls.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/options.h"
#include "platform/program_memory.h"
#include "platform/syscalls.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using __sanitizer::internal_strstr;

namespace pagetide {

namespace {
struct NeededCall {
  long number;
  const char *name;
  const char *option; ///< part of the options with which it is made, or null
};
} // namespace

/// What recording calls under a filter and many programs do not. The two calls
/// of the test itself, clone and wait4, come first and are not tried.
static constexpr NeededCall kNeeded[] = {
#define PAGETIDE_CALL(name, option) {SYS_##name, #name, option}
    PAGETIDE_CALL(memfd_create, nullptr),
    PAGETIDE_CALL(ftruncate, nullptr),
    PAGETIDE_CALL(madvise, nullptr),
    PAGETIDE_CALL(munmap, nullptr),
    PAGETIDE_CALL(mprotect, nullptr),
    PAGETIDE_CALL(prctl, nullptr),
    PAGETIDE_CALL(dup3, nullptr),
    PAGETIDE_CALL(close_range, nullptr),
    PAGETIDE_CALL(lseek, nullptr),
    PAGETIDE_CALL(futex, nullptr),
    PAGETIDE_CALL(gettid, nullptr),
    PAGETIDE_CALL(tgkill, nullptr),
    PAGETIDE_CALL(fcntl, nullptr),
    PAGETIDE_CALL(sched_yield, nullptr),
    PAGETIDE_CALL(nanosleep, nullptr),
    PAGETIDE_CALL(clock_gettime, nullptr),
    PAGETIDE_CALL(rt_sigpending, nullptr),
    PAGETIDE_CALL(openat, nullptr),
    PAGETIDE_CALL(fstat, nullptr),
    PAGETIDE_CALL(getdents64, nullptr),
    PAGETIDE_CALL(getppid, nullptr),
    PAGETIDE_CALL(fallocate, "trace_path="),
    PAGETIDE_CALL(flock, "trace_path="),
    PAGETIDE_CALL(getcwd, "trace_path="),
    PAGETIDE_CALL(readlinkat, "trace_path="),
    PAGETIDE_CALL(personality, "trace_path="),
    PAGETIDE_CALL(writev, "trace_path="),
    PAGETIDE_CALL(unlinkat, "trace_path="),
    PAGETIDE_CALL(pwritev, "checksum="),
    PAGETIDE_CALL(msync, "checksum="),
    PAGETIDE_CALL(newfstatat, "control="),
    PAGETIDE_CALL(socket, "control="),
    PAGETIDE_CALL(connect, "control="),
    PAGETIDE_CALL(sendmsg, "control="),
#undef PAGETIDE_CALL
};
constexpr u32 kNeededCount = sizeof(kNeeded) / sizeof(*kNeeded);

/// In the child. All arguments are -1: no address, no descriptor, no size.
[[noreturn]] static void TryCalls(const char *options, u32 *at) {
  const rlimit no_core = {0, 0};
  Syscall(SYS_prlimit64, 0, RLIMIT_CORE, (uptr)&no_core, 0);
  // A filter that traps ends the process too: the runtime's threads block all
  // signals, and no handler of the program runs.
  const u64 all = kAllSignals;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, 0, 8);
  constexpr uptr kBad = ~uptr{0};
  for (u32 i = 0; i < kNeededCount; ++i) {
    if (kNeeded[i].option && !internal_strstr(options, kNeeded[i].option))
      continue;
    StoreRelease(at, i);
    Syscall(kNeeded[i].number, kBad, kBad, kBad, kBad, kBad, kBad);
  }
  for (;;)
    Syscall(SYS_exit_group, 0);
}

const char *DeadlyCall(const char *options) {
  if (!UnderSystemCallFilter())
    return nullptr;
  const uptr page = Syscall(SYS_mmap, 0, kPageBytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, (uptr)-1, 0);
  if (Failed(page))
    return nullptr;
  u32 *const at = (u32 *)page;
  // Of its own memory, so that its end touches nothing here. It sends no
  // signal, and the program's own waiting does not see it.
  const uptr child = Syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (!child)
    TryCalls(options, at);
  int status = 0;
  if (!Failed(child))
    while (ErrnoOf(Syscall(SYS_wait4, child, (uptr)&status, __WALL, 0)) ==
           EINTR) {
    }
  const char *deadly = WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS
                           ? kNeeded[LoadAcquire(at)].name
                           : nullptr;
  Syscall(SYS_munmap, page, kPageBytes);
  return deadly;
}

PAGETIDE_ZERO_IN_CHILD static bool tested;
PAGETIDE_ZERO_IN_CHILD static const char *found;

const char *DeadlyCall() {
  if (tested || !UnderSystemCallFilter())
    return found;
  const Flags &flags = GetFlags();
  char options[64];
  __sanitizer::internal_snprintf(
      options, sizeof(options), "%s%s%s",
      *flags.trace_path ? "trace_path=" : "",
      flags.checksum != trace::ChecksumMode::kNone ? "checksum=" : "",
      *flags.control ? "control=" : "");
  return DeadlyCall(options);
}

const char *KnownDeadlyCall() { return found; }

void TestFilterInChild() {
  found = DeadlyCall();
  tested = true;
}

} // namespace pagetide

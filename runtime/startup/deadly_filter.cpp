//===- deadly_filter.cpp - Filters that end recorded processes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter that ends a process gives it no chance to say why. So a child makes
// each call first, with arguments that the kernel refuses.

#include "startup/deadly_filter.h"

#include "platform/environment.h"
#include "platform/messages.h"
#include "platform/notice.h"
#include "platform/program_memory.h"
#include "platform/syscalls.h"
#include "startup/started_by_recorded.h"

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
    PAGETIDE_CALL(fallocate, "trace_path="),
    PAGETIDE_CALL(flock, "trace_path="),
    PAGETIDE_CALL(getcwd, "trace_path="),
    PAGETIDE_CALL(readlinkat, "trace_path="),
    PAGETIDE_CALL(personality, "trace_path="),
    PAGETIDE_CALL(writev, "trace_path="),
    PAGETIDE_CALL(unlinkat, "trace_path="),
    PAGETIDE_CALL(pwritev, "checksum="),
    PAGETIDE_CALL(msync, "checksum="),
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

/// The first needed call for which the filter ends the process; null if there
/// is none, or if that cannot be found out.
static const char *DeadlyCall(const char *options) {
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

bool FilterAllowsRecording(bool may_run_unrecorded) {
  const char *options = OptionsOfProcess();
  if (!options || !*options)
    return true;
  InitCopies();
  const char *deadly = UnderSystemCallFilter() ? DeadlyCall(options) : nullptr;
  if (!deadly)
    return true;
  constexpr char kWhy[] =
      "the system call filter (seccomp) that it was started under ends "
      "processes that call %s, as recording does. Allow that call (in a unit "
      "of systemd: SystemCallFilter=%s), or run the program unrecorded.";
  char text[512];
  __sanitizer::internal_snprintf(text, sizeof(text), kWhy, deadly, deadly);
  const bool child = may_run_unrecorded && IsStartedByRecorded() &&
                     !internal_strstr(options, "on_failure=stop");
  if (child) {
    RunUnrecorded(text);
    return false;
  }
  if (!may_run_unrecorded || !internal_strstr(options, "on_failure=continue"))
    Fatal("the program was not started: %s\n", text);
  Warning("the program runs unrecorded: %s\n", text);
  NotifyRecord(shadow_file::NoticeKind::kUnrecorded);
  return false;
}

} // namespace pagetide

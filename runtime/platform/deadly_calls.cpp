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
#include <linux/seccomp.h>
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
  bool at_start;      ///< when recording begins, and not later
};
} // namespace

/// What recording calls under a filter and many programs do not. The two calls
/// of the test itself come first. They have been made when that is read, unless
/// the test is of a filter that comes.
static constexpr NeededCall kNeeded[] = {
#define PAGETIDE_CALL(name, option) {SYS_##name, #name, option, false}
#define PAGETIDE_START(name, option) {SYS_##name, #name, option, true}
    PAGETIDE_CALL(clone, nullptr),
    PAGETIDE_CALL(wait4, nullptr),
    PAGETIDE_START(memfd_create, nullptr),
    PAGETIDE_START(ftruncate, nullptr),
    PAGETIDE_CALL(madvise, nullptr),
    PAGETIDE_CALL(munmap, nullptr),
    PAGETIDE_CALL(mmap, nullptr),
    PAGETIDE_START(mprotect, nullptr),
    PAGETIDE_START(prctl, nullptr),
    PAGETIDE_START(dup3, nullptr),
    PAGETIDE_START(close_range, nullptr),
    PAGETIDE_CALL(lseek, nullptr),
    PAGETIDE_CALL(futex, nullptr),
    PAGETIDE_CALL(gettid, nullptr),
    PAGETIDE_CALL(tgkill, nullptr),
    PAGETIDE_START(fcntl, nullptr),
    PAGETIDE_CALL(sched_yield, nullptr),
    PAGETIDE_CALL(nanosleep, nullptr),
    PAGETIDE_CALL(clock_gettime, nullptr),
    PAGETIDE_CALL(rt_sigpending, nullptr),
    PAGETIDE_CALL(openat, nullptr),
    PAGETIDE_CALL(read, nullptr),
    PAGETIDE_CALL(close, nullptr),
    PAGETIDE_CALL(fstat, nullptr),
    PAGETIDE_CALL(newfstatat, nullptr),
    PAGETIDE_CALL(getdents64, nullptr),
    PAGETIDE_START(getppid, nullptr),
    PAGETIDE_CALL(fallocate, "trace_path="),
    PAGETIDE_CALL(ftruncate, "trace_path="),
    PAGETIDE_START(flock, "trace_path="),
    PAGETIDE_START(getcwd, "trace_path="),
    PAGETIDE_START(readlinkat, "trace_path="),
    PAGETIDE_START(personality, "trace_path="),
    PAGETIDE_CALL(writev, "trace_path="),
    PAGETIDE_START(unlinkat, "trace_path="),
    PAGETIDE_CALL(pwritev, "checksum="),
    PAGETIDE_CALL(msync, "checksum="),
    PAGETIDE_START(socket, "control="),
    PAGETIDE_START(connect, "control="),
    PAGETIDE_START(sendmsg, "control="),
    PAGETIDE_CALL(ptrace, "unstable=stop"),
    PAGETIDE_CALL(ptrace, "unstable=cut"),
    PAGETIDE_CALL(getcpu, "unstable=cut"),
    PAGETIDE_START(userfaultfd, "engine=uffd"),
    PAGETIDE_CALL(ioctl, "engine=uffd"),
    PAGETIDE_CALL(ppoll, "engine=uffd"),
    PAGETIDE_START(eventfd2, "engine=uffd"),
    PAGETIDE_CALL(eventfd2, "engine=fork"),
    PAGETIDE_CALL(waitid, "engine=fork"),
    PAGETIDE_CALL(pread64, "engine=fork"),
#undef PAGETIDE_START
#undef PAGETIDE_CALL
};
constexpr u32 kNeededCount = sizeof(kNeeded) / sizeof(*kNeeded);

namespace {
struct Trial {
  const char *options;
  bool by_engine;
  const ComingFilter *filter; ///< null: those that the process has
};
} // namespace

/// A program with marks of its own does not use the engine that is named for
/// others.
static bool IsMade(const NeededCall &call, const Trial &trial) {
  constexpr char kEngine[] = "engine=";
  if (trial.filter && call.at_start)
    return false;
  if (!call.option)
    return true;
  const bool of_engine =
      !__sanitizer::internal_strncmp(call.option, kEngine, sizeof(kEngine) - 1);
  return (trial.by_engine || !of_engine) &&
         internal_strstr(trial.options, call.option);
}

/// In the child. All arguments are -1: no address, no descriptor, no size.
[[noreturn]] static void TryCalls(const Trial &trial, u32 *at) {
  const rlimit no_core = {0, 0};
  Syscall(SYS_prlimit64, 0, RLIMIT_CORE, (uptr)&no_core, 0);
  // A filter that traps ends the process too: the runtime's threads block all
  // signals, and no handler of the program runs.
  const u64 all = kAllSignals;
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&all, 0, 8);
  constexpr uptr kBad = ~uptr{0};
  u32 i = 0;
  if (const ComingFilter *filter = trial.filter)
    if (Failed(Syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                       filter->flags & SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                       filter->program)))
      i = kNeededCount; // nor will the program
  for (; i < kNeededCount; ++i) {
    if (!IsMade(kNeeded[i], trial))
      continue;
    StoreRelease(at, i);
    Syscall(kNeeded[i].number, kBad, kBad, kBad, kBad, kBad, kBad);
  }
  StoreRelease(at, kNeededCount);
  for (;;)
    Syscall(SYS_exit_group, 0);
}

static const char *Try(const Trial &trial) {
  const uptr page = Syscall(SYS_mmap, 0, kPageBytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, (uptr)-1, 0);
  if (Failed(page))
    return nullptr;
  u32 *const at = (u32 *)page;
  // Of its own memory, so that its end touches nothing here. It sends no
  // signal, and the program's own waiting does not see it.
  const uptr child = Syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (!child)
    TryCalls(trial, at);
  int status = 0;
  if (!Failed(child))
    while (ErrnoOf(Syscall(SYS_wait4, child, (uptr)&status, __WALL, 0)) ==
           EINTR) {
    }
  const u32 last = LoadAcquire(at);
  const char *deadly =
      WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && last < kNeededCount
          ? kNeeded[last].name
          : nullptr;
  Syscall(SYS_munmap, page, kPageBytes);
  return deadly;
}

const char *DeadlyCall(const char *options, bool by_engine) {
  return UnderSystemCallFilter() ? Try({options, by_engine, nullptr}) : nullptr;
}

const char *DeadlyCallUnder(const ComingFilter &filter, const char *options,
                            bool by_engine) {
  static bool forbids_trials;
  if (LoadAcquire(&forbids_trials))
    return nullptr;
  const char *deadly = Try({options, by_engine, &filter});
  if (deadly == kNeeded[0].name || deadly == kNeeded[1].name)
    StoreRelease(&forbids_trials, true);
  return deadly;
}

const char *NeedsAsOptions(NeedsText &text, const RecordingNeeds &needs) {
  const bool hashes = needs.checksum != trace::ChecksumMode::kNone;
  const bool cuts = needs.unstable == trace::UnstablePolicy::kCut;
  const bool stops = needs.unstable == trace::UnstablePolicy::kStop;
  __sanitizer::internal_snprintf(text, sizeof(text), "%s%s%s%sengine=%s",
                                 needs.trace ? "trace_path=:" : "",
                                 needs.control ? "control=:" : "",
                                 hashes ? "checksum=:" : "",
                                 hashes && cuts    ? "unstable=cut:"
                                 : hashes && stops ? "unstable=stop:"
                                                   : "",
                                 EngineCan().name);
  return text;
}

PAGETIDE_ZERO_IN_CHILD static bool tested;
PAGETIDE_ZERO_IN_CHILD static const char *found;

const char *DeadlyCall() {
  if (tested || !UnderSystemCallFilter())
    return found;
  const Flags &flags = GetFlags();
  NeedsText text;
  const char *options =
      NeedsAsOptions(text, {*flags.trace_path != 0, *flags.control != 0,
                            flags.checksum, flags.unstable.policy});
  return DeadlyCall(options, !EngineCan().by_marks);
}

const char *KnownDeadlyCall() { return found; }

void TestFilterInChild() {
  found = DeadlyCall();
  tested = true;
}

} // namespace pagetide

//===- raw_process.cpp - Processes that share the program's memory --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/raw_process.h"

#include "platform/own_memory.h"

#include "sanitizer_common/sanitizer_linux.h"

#include <errno.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace pagetide {

constexpr uptr kStackBytes = 64 * 1024;

static int Main(void *arg) {
  RawProcess &process = *(RawProcess *)arg;
  Syscall(SYS_prctl, PR_SET_NAME, (uptr)process.name);
  Syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (Syscall(SYS_getppid) == process.starter) // else it has died before that
    process.run(process.arg);
  return 0;
}

bool StartRawProcess(RawProcess &process) {
  if (!process.stack)
    process.stack = MapForRawThread(kStackBytes);
  if (!process.stack)
    return false;
  process.starter = GetPidRaw();
  // No signal tells of its end, so a wait of the program does not see it.
  constexpr int kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED;
  const uptr pid = (uptr)__sanitizer::internal_clone(
      Main, (void *)((uptr)process.stack + kStackBytes), kFlags, &process,
      nullptr, nullptr, nullptr);
  process.pid = Failed(pid) ? 0 : (u32)pid;
  return process.pid != 0;
}

/// `options`: WNOHANG or 0.
static bool Reap(RawProcess &process, uptr options) {
  if (!process.pid)
    return true;
  int status;
  const uptr result =
      Syscall(SYS_wait4, process.pid, (uptr)&status, options | __WALL, 0);
  // The program may have waited for it (ECHILD).
  if (result == process.pid || ErrnoOf(result) == ECHILD)
    process.pid = 0;
  return !process.pid;
}

bool HasEnded(RawProcess &process) { return Reap(process, WNOHANG); }

void KillRawProcess(RawProcess &process) {
  if (process.pid)
    Syscall(SYS_kill, process.pid, SIGKILL);
}

void JoinRawProcess(RawProcess &process) {
  while (!Reap(process, 0)) {
  }
}

} // namespace pagetide

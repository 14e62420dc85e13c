//===- process.cpp - fork, exec and exit ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/process.h"

#include "interceptors/address_limit.h"
#include "interceptors/child_environment.h"
#include "interceptors/interceptor.h"
#include "interceptors/period_by_calls.h"
#include "periods/watch.h"
#include "platform/deadly_calls.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/program_memory.h"
#include "recorder/callback_thread.h"
#include "recorder/recorder.h"
#include "recorder/requests.h"
#include "shadow/mark_checks.h"
#include "threads/thread_start.h"
#include "trace/control_client.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace pagetide;
using namespace __sanitizer;

//===- Children -----------------------------------------------------------===//

namespace pagetide {

void RenewInChild(bool runs_handlers) {
  // After _Fork the caller may be a signal handler, and other threads may have
  // held any lock. So this makes only system calls, calls no function of libc,
  // and does not touch the allocator's lock.
  ZeroInChild();
  if (!ControlReady())
    return;
  TestFilterInChild();
  RenewMarkChecksInChild();
  if (runs_handlers && !KnownDeadlyCall())
    InheritReachOfRecord();
  RenewThreadsInChild(); // the new control block first
  RenewWatchInChild();
  if (runs_handlers)
    RenewCallbackInChild();
  else
    DropCallbackInChild(); // its thread cannot be created here
  CountCallsOfThisThread();
  RenewRecorderInChild();
}

} // namespace pagetide

/// libc's fork without its handlers.
PAGETIDE_INTERCEPTOR(int, _Fork, void) {
  if (!ControlReady())
    return RESOLVED(_Fork)();
  // No handler may run in the child until it has a shadow of its own.
  ScopedBlockSignals block_signals;
  int pid = RESOLVED(_Fork)();
  if (!pid)
    RenewInChild(false);
  return pid;
}

PAGETIDE_INTERCEPTOR(int, system, const char *command) {
  OnInterceptedCall();
  int result = RESOLVED(system)(command);
  if (ShadowReady())
    DidReadPath(command, result < 0);
  return result;
}

//===- exit() from several threads ----------------------------------------===//

/// The thread that runs exit handlers; 0: none.
PAGETIDE_ZERO_IN_CHILD static u32 exiting;

/// In libc 2.36 a second thread that calls exit ends the process while the
/// first one still runs handlers. (Recording ends in the last handler.) Here
/// the second thread waits for the end, as it does in libc 2.41.
static void PassOnlyOne() {
  if (!ControlReady() || GetPidRaw() != shadow.header->pid)
    return; // a child of vfork, which has its parent's memory
  const u32 own = GetTidRaw();
  u32 first = 0;
  if (__atomic_compare_exchange_n(&exiting, &first, own, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
      first == own) // a handler that calls exit()
    return;
  for (;;)
    Syscall(SYS_ppoll); // for nothing, without an end
}

PAGETIDE_INTERCEPTOR(void, exit, int status) {
  NeedReal();
  PassOnlyOne();
  REAL(exit)(status);
}
PAGETIDE_INTERCEPTOR(void, quick_exit, int status) {
  NeedReal();
  PassOnlyOne();
  REAL(quick_exit)(status);
}

//===- The end of the program, and exec -----------------------------------===//

PAGETIDE_INTERCEPTOR(void, _exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  RESOLVED(_exit)(status);
}
PAGETIDE_INTERCEPTOR(void, _Exit, int status) {
  EndOfProgram(trace::EndReason::kExit);
  RESOLVED(_Exit)(status);
}
/// libc's abort raises SIGABRT, and raises it again if a handler returns. The
/// handler is the program's code, so it runs before recording ends. It may also
/// jump out, and then the program goes on.
PAGETIDE_INTERCEPTOR(void, abort, void) {
  struct sigaction action;
  if (ControlReady() && !sigaction(SIGABRT, nullptr, &action) &&
      action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGABRT);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    Syscall(SYS_tgkill, GetPidRaw(), GetTidRaw(), SIGABRT);
    action = {};
    action.sa_handler = SIG_DFL; // the handler has run
    sigaction(SIGABRT, &action, nullptr);
  }
  EndOfProgram(trace::EndReason::kAbort);
  RESOLVED(abort)();
}

/// If the call succeeds, nobody can mark after it. In a child of vfork, what it
/// reads is its parent's.
static void BeforeExec(const char *path, Strings argv, Strings env) {
  MayReadArguments(path, argv, env);
  EndOfProgram(trace::EndReason::kExec);
  LowerAddressLimitForExec();
}
static int ExecFailed(int result, const char *path, Strings argv, Strings env) {
  RaiseAddressLimit();
  MayReadArguments(path, argv, env);
  OnExecFailed();
  return result;
}

// A call of exec ends the recording, and so a period. Programs look for others
// by calls that fail since there is no such file. These end no period: they are
// answered as the kernel would.

/// Why the kernel does not find such a program; 0 if it may.
static int WhyNoProgram(int dir, const char *path, int flags) {
  if (!Recording() || UnderSystemCallFilter() || (flags & ~AT_EMPTY_PATH))
    return 0;
  struct stat status;
  if (const int error = ErrnoOf(Syscall(SYS_newfstatat, (uptr)dir, (uptr)path,
                                        (uptr)&status, (uptr)flags)))
    return error;
  if (!S_ISREG(status.st_mode))
    return EACCES;
  const int error = ErrnoOf(Syscall(SYS_faccessat2, (uptr)dir, (uptr)path, X_OK,
                                    (uptr)(AT_EACCESS | flags)));
  return error == ENOSYS ? 0 : error;
}

/// The same for a name that libc looks for in PATH.
static int WhyNoProgramInPath(const char *file) {
  if (!Recording() || UnderSystemCallFilter())
    return 0;
  if (!*file)
    return ENOENT;
  if (internal_strchr(file, '/'))
    return WhyNoProgram(AT_FDCWD, file, 0);
  const char *rest = getenv("PATH");
  if (!rest)
    rest = "/bin:/usr/bin";
  bool is_forbidden = false;
  for (bool is_last = false; !is_last;) {
    const char *end = internal_strchrnul(rest, ':');
    char path[PATH_MAX];
    const int folder = (int)(end - rest);
    const int bytes = internal_snprintf(path, sizeof(path), "%.*s%s%s", folder,
                                        rest, folder ? "/" : "", file);
    if (bytes >= (int)sizeof(path))
      return 0;
    switch (WhyNoProgram(AT_FDCWD, path, 0)) {
    case EACCES:
      is_forbidden = true;
      break;
    case ENOENT:
    case ENOTDIR:
      break;
    default:
      return 0;
    }
    is_last = !*end;
    rest = end + 1;
  }
  return is_forbidden ? EACCES : ENOENT;
}

static int ExecRefused(int error, const char *path, Strings argv, Strings env) {
  MayReadArguments(path, argv, env);
  errno = error;
  return -1;
}

PAGETIDE_INTERCEPTOR(int, execve, const char *path, Strings argv, Strings env) {
  if (const int error = WhyNoProgram(AT_FDCWD, path, 0))
    return ExecRefused(error, path, argv, env);
  BeforeExec(path, argv, env);
  const ChildEnvironment child(env, AT_FDCWD, path);
  return ExecFailed(RESOLVED(execve)(path, argv, child.Get()), path, argv, env);
}
PAGETIDE_INTERCEPTOR(int, execv, const char *path, Strings argv) {
  if (const int error = WhyNoProgram(AT_FDCWD, path, 0))
    return ExecRefused(error, path, argv, nullptr);
  BeforeExec(path, argv, environ);
  const ChildEnvironment child(environ, AT_FDCWD, path);
  return ExecFailed(child.HasMore() ? RESOLVED(execve)(path, argv, child.Get())
                                    : RESOLVED(execv)(path, argv),
                    path, argv, nullptr);
}
PAGETIDE_INTERCEPTOR(int, execvpe, const char *file, Strings argv,
                     Strings env) {
  if (const int error = WhyNoProgramInPath(file))
    return ExecRefused(error, file, argv, env);
  BeforeExec(file, argv, env);
  const ChildEnvironment child(env, AT_FDCWD, nullptr);
  return ExecFailed(RESOLVED(execvpe)(file, argv, child.Get()), file, argv,
                    env);
}
PAGETIDE_INTERCEPTOR(int, execvp, const char *file, Strings argv) {
  if (const int error = WhyNoProgramInPath(file))
    return ExecRefused(error, file, argv, nullptr);
  BeforeExec(file, argv, environ);
  const ChildEnvironment child(environ, AT_FDCWD, nullptr);
  return ExecFailed(child.HasMore() ? RESOLVED(execvpe)(file, argv, child.Get())
                                    : RESOLVED(execvp)(file, argv),
                    file, argv, nullptr);
}
PAGETIDE_INTERCEPTOR(int, fexecve, int fd, Strings argv, Strings env) {
  BeforeExec(nullptr, argv, env);
  const ChildEnvironment child(env, fd, "", AT_EMPTY_PATH);
  // libc refuses to start it without an environment.
  return ExecFailed(RESOLVED(fexecve)(fd, argv, env ? child.Get() : nullptr),
                    nullptr, argv, env);
}
PAGETIDE_INTERCEPTOR(int, execveat, int dir, const char *path, Strings argv,
                     Strings env, int flags) {
  if (const int error = WhyNoProgram(dir, path, flags))
    return ExecRefused(error, path, argv, env);
  BeforeExec(path, argv, env);
  const ChildEnvironment child(env, dir, path, flags);
  return ExecFailed(RESOLVED(execveat)(dir, path, argv, child.Get(), flags),
                    path, argv, env);
}

/// The arguments of an execl: first, ..., nullptr.
#define PAGETIDE_COLLECT_ARGUMENTS(first)                                      \
  uptr count = 1;                                                              \
  va_list list;                                                                \
  va_start(list, first);                                                       \
  while (va_arg(list, char *))                                                 \
    ++count;                                                                   \
  va_end(list);                                                                \
  char *argv[count + 1];                                                       \
  argv[0] = const_cast<char *>(first);                                         \
  va_start(list, first);                                                       \
  for (uptr i = 1; i <= count; ++i)                                            \
    argv[i] = va_arg(list, char *);

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wvla-extension"
PAGETIDE_INTERCEPTOR(int, execl, const char *path, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  va_end(list);
  return WRAP(execv)(path, argv);
}
PAGETIDE_INTERCEPTOR(int, execlp, const char *file, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  va_end(list);
  return WRAP(execvp)(file, argv);
}
PAGETIDE_INTERCEPTOR(int, execle, const char *path, const char *first, ...) {
  PAGETIDE_COLLECT_ARGUMENTS(first)
  Strings env = va_arg(list, Strings);
  va_end(list);
  return WRAP(execve)(path, argv, env);
}
#pragma clang diagnostic pop

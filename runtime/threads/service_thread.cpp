//===- service_thread.cpp - Start, wake and watch the recorder's thread ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/service_thread.h"

#include "platform/deadly_calls.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/raw_thread.h"
#include "shadow/shadow.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

static ServiceHooks hooks;
/// Changes when the recorder has something to look at.
static u32 wake;
PAGETIDE_ZERO_IN_CHILD static RawThread recorder_thread;
/// The process that the recorder serves. A child of vfork shares all this
/// memory, but is another process.
static u32 owner_pid;
PAGETIDE_ZERO_IN_CHILD static u32 recorder_gone;
/// It comes back.
PAGETIDE_ZERO_IN_CHILD static bool recorder_away;

void InitServiceThread(const ServiceHooks &recorder) {
  hooks = recorder;
  owner_pid = GetPidRaw();
}

bool RecorderRuns() { return LoadAcquire(&recorder_thread.tid); }
bool RecorderHasGone() { return LoadAcquire(&recorder_gone); }
u32 ServedProcess() { return owner_pid; }
bool InServedProcess() { return owner_pid == GetPidRaw(); }

//===- Wake and wait ------------------------------------------------------===//

void WakeRecorder() {
  __atomic_fetch_add(&wake, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&wake);
}

u32 RecorderWakes() { return LoadAcquire(&wake); }

void RecorderSleep(u32 seen, u64 deadline) { FutexWait(&wake, seen, deadline); }

void GiveUpRecorder() {
  StoreRelease(&recorder_gone, 1);
  hooks.gone();
}

static void NoteRecorderGone() {
  if (!__atomic_exchange_n(&recorder_gone, 1, __ATOMIC_ACQ_REL))
    WarnOrStop(
        "the recorder's thread has been ended from outside, as by a "
        "seccomp filter that the program installed for all of its "
        "threads. Nothing more is recorded (`pagetide record` saves what "
        "has been, when the program ends); the program runs on.\n");
  hooks.gone();
}

bool WaitForRecorder(const u32 *word, u32 expected) {
  if (WaitForRawThread(recorder_thread, word, expected) ||
      LoadAcquire(&recorder_away))
    return true;
  NoteRecorderGone();
  return false;
}

//===- Start --------------------------------------------------------------===//

PAGETIDE_ZERO_IN_CHILD static Lock start_lock;
/// Why this forked child could not be recorded. It is not tried again.
PAGETIDE_ZERO_IN_CHILD static int start_error;
/// errno that keeps this process from having a memory file.
PAGETIDE_ZERO_IN_CHILD static int no_memory_file;

static int PrepareWithoutFile() {
  no_memory_file = MoveShadowToMemfd();
  hooks.control_block_moved();
  return no_memory_file;
}

/// What helps if the memory file cannot be made.
static const char *MemoryFileRemedy(int error) {
  switch (error) {
  case EMFILE:
    return "Its limit on descriptors (ulimit -n) is used up: raise it";
  case ENFILE:
    return "The system has as many open files as fs.file-max allows: raise it";
  case ENOMEM:
  case ENOSPC:
    return "Memory has run out: lift the limit of its control group, if any";
  default:
    return "If a seccomp filter forbids it, allow that call";
  }
}

static void SayRecorderCannotStart(int error, const char *deadly) {
  if (deadly)
    WarnOrStop("process %u cannot be recorded: its system call filter "
               "(seccomp) ends processes that call %s, as recording does. "
               "Allow that call.\n",
               GetPidRaw(), deadly);
  else if (no_memory_file == EFBIG)
    WarnOrStop("process %u cannot be recorded: its shadow memory cannot be "
               "sized: the hard limit on file sizes (ulimit -f) also governs "
               "memory files. Set it to unlimited.\n",
               GetPidRaw());
  else if (no_memory_file)
    WarnOrStop("process %u cannot be recorded: its shadow memory cannot be "
               "created: %s failed with %s. %s.\n",
               GetPidRaw(), CallWithoutMemfd(), DescribeErrno(error),
               MemoryFileRemedy(error));
  else
    WarnOrStop("process %u cannot be recorded: its recorder cannot start: %s. "
               "Limits on threads (ulimit -u), memory (-v, -d) and descriptors "
               "(-n) and system call filters can be the reason.\n",
               GetPidRaw(), DescribeErrno(error));
}

int EnsureRecorder() {
  if (LoadAcquire(&recorder_thread.tid))
    return 0;
  ScopedLock hold(start_lock);
  if (LoadAcquire(&recorder_thread.tid))
    return 0;
  if (LoadAcquire(&recorder_gone))
    return ESRCH;
  if (start_error)
    return start_error;
  recorder_thread.run = hooks.run;
  recorder_thread.name = "pagetide";
  recorder_thread.keep_fd = shadow.fd;
  // In a forked child the memfd is made in the recorder's table. The program's
  // table may be full, and the program may expect its lowest free number.
  recorder_thread.prepare = shadow.fd < 0 ? PrepareWithoutFile : nullptr;
  const char *deadly = DeadlyCall();
  int error = deadly ? EPERM : StartRawThread(recorder_thread);
  if (error) {
    start_error = error;
    SayRecorderCannotStart(error, deadly);
    return error;
  }
  // The recorder has its own copy. The program's table is the program's.
  if (shadow.fd >= 0)
    Syscall(SYS_close, (uptr)shadow.fd);
  shadow.fd = -1;
  return 0;
}

void BeginAbsence() {
  start_lock.Acquire();
  StoreRelease(&recorder_away, true);
}

void EndAbsence() {
  StoreRelease(&recorder_away, false);
  start_lock.Release();
}

void AwaitEndOfRecorder() { JoinRawThread(recorder_thread); }

int RestartRecorder(int fd, int (*prepare)()) {
  recorder_thread.keep_fd = fd;
  recorder_thread.prepare = prepare;
  return StartRawThread(recorder_thread);
}

//===- Fork ---------------------------------------------------------------===//

void LockServiceThread() { start_lock.Acquire(); }
void UnlockServiceThread() { start_lock.Release(); }

void RenewServiceThreadInChild() {
  ForgetRawThreads();
  ZeroRecorderState();
  owner_pid = GetPidRaw();
}

} // namespace pagetide

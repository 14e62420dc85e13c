//===- step_out.cpp - The runtime's threads end and come back -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/step_out.h"

#include "engines/write_tracking.h"
#include "pagetide/pagetide.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/raw_thread_ids.h"
#include "platform/sent_table.h"
#include "recorder/callback_thread.h"
#include "recorder/recorder_state.h"
#include "recorder/requests.h"
#include "threads/runtime_threads.h"
#include "threads/service_thread.h"
#include "threads/slots.h"
#include "threads/unregistered.h"
#include "trace/trace_writer.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

namespace pagetide {

//===- On the recorder's thread -------------------------------------------===//

enum class Way : u32 { kIn, kOut, kComesBack };
PAGETIDE_RECORDER_STATE static Way way;

bool HasSteppedOut() { return way == Way::kOut; }

static void ResumeOthers() {
  ResumeWriteTracking();
  ResumeTraceWriter();
}

/// A copy of the program's descriptor, or the kernel's error.
static uptr CopyOfProgramsDescriptor(int fd) {
  const uptr process = Syscall(SYS_pidfd_open, GetPidRaw(), 0);
  if (Failed(process))
    return process;
  const uptr copy = Syscall(SYS_pidfd_getfd, process, (uptr)fd, 0);
  Syscall(SYS_close, process);
  return copy;
}

int StepOut(int socket_of_program) {
  // Keepers end with the thread that made them.
  if (recorder_state.engine && recorder_state.engine->kept_memory)
    return PAGETIDE_UNSUPPORTED;
  const uptr socket = CopyOfProgramsDescriptor(socket_of_program);
  if (Failed(socket))
    return PAGETIDE_IO;
  PauseTraceWriter();
  PauseWriteTracking();
  const int error = SendTable((int)socket);
  Syscall(SYS_close, socket);
  if (error) {
    ResumeOthers();
    return PAGETIDE_IO;
  }
  way = Way::kOut;
  return PAGETIDE_OK;
}

int StepOutForGood() {
  way = Way::kOut;
  return PAGETIDE_OK;
}

/// The first thing that a recorder's thread does which comes back.
static int ComeBack() {
  way = Way::kComesBack;
  return ReceiveTable();
}

void StepIn() {
  if (way != Way::kComesBack)
    return;
  way = Way::kIn;
  ResumeOthers();
}

//===- On the thread that makes the call ----------------------------------===//

/// A thread that has ended counts until the kernel has taken it out.
static bool WaitUntilAlone() {
  if (!CountTasks()) { // there is no /proc
    SleepNs(kNsPerMs);
    return true;
  }
  const u64 deadline = MonotonicNs() + kNsPerSec;
  while (CountTasks() > 1) {
    if (MonotonicNs() > deadline)
      return false;
    Syscall(SYS_sched_yield);
  }
  return true;
}

/// A socket that receives what is sent into it: a pair would take two of the
/// program's descriptors. Returns -1 if there is none.
static int MakeSocketToItself() {
  const uptr fd = Syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (Failed(fd))
    return -1;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  int bytes = sizeof(address.sun_family); // the kernel chooses a name
  const bool bound =
      !Failed(Syscall(SYS_bind, fd, (uptr)&address, (uptr)bytes));
  bytes = sizeof(address);
  if (bound &&
      !Failed(Syscall(SYS_getsockname, fd, (uptr)&address, (uptr)&bytes)) &&
      !Failed(Syscall(SYS_connect, fd, (uptr)&address, (uptr)bytes)))
    return (int)fd;
  Syscall(SYS_close, fd);
  return -1;
}

/// The thread is the program's only one, and has the signals blocked.
static bool SendThreadsAway(int socket) {
  const bool has_callback = RuntimePthreads();
  if (has_callback)
    EndCallbackThread();
  if (RequestStepOut(socket) == PAGETIDE_OK) {
    AwaitEndOfRecorder();
    return WaitUntilAlone();
  }
  return false;
}

static void BringThreadsBack(const char *name, int socket) {
  const int error = RestartRecorder(socket, ComeBack);
  if (!error)
    return;
  GiveUpRecorder();
  WarnOrStop("after the program's %s the recorder's thread cannot start: %s. "
             "Nothing more is recorded (`pagetide record` saves what has been, "
             "when the program ends). The program runs on.\n",
             name, DescribeErrno(error));
}

bool RunAlone(const char *name, void (*call)(void *), void *argument) {
  if (!RecorderRuns() || !InServedProcess() || self.in_request ||
      CountRegisteredThreads() > 1 || !IsOnlyThread())
    return false;
  ScopedBlockSignals block_signals;
  // The program does not see it, since it has no other thread.
  const int socket = MakeSocketToItself();
  if (socket < 0)
    return false;
  BeginAbsence();
  const bool away = SendThreadsAway(socket);
  if (away)
    call(argument);
  if (!RecorderRuns())
    BringThreadsBack(name, socket);
  EndAbsence();
  Syscall(SYS_close, (uptr)socket);
  RenewCallbackThread();
  return away;
}

void LeaveForGood(const char *why) {
  if (!RecorderRuns() || !InServedProcess())
    return;
  ScopedBlockSignals block_signals;
  BeginAbsence();
  if (RequestLeave(why) == PAGETIDE_OK)
    AwaitEndOfRecorder();
  GiveUpRecorder();
  EndAbsence();
}

} // namespace pagetide

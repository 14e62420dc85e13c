//===- control_signal.cpp - How pagetide ctl reaches the process ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "startup/control_signal.h"

#include "interceptors/late_start_point.h"
#include "interceptors/real_functions.h"
#include "pagetide/pagetide.h"
#include "platform/control_marker.h"
#include "platform/interrupted_code.h"
#include "platform/options.h"
#include "platform/page_vec.h"
#include "platform/program_memory.h"
#include "recorder/control_request.h"
#include "recorder/control_service.h"
#include "recorder/recording.h"
#include "recorder/requests.h"
#include "startup/demand.h"
#include "startup/late_start.h"
#include "startup/loaded_modules.h"
#include "threads/blocked_call.h"
#include "threads/service_thread.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

namespace pagetide {

/// The ctl that has asked for a late start.
static u32 asking;

static const char *StartLate(const control::Request &asked) {
  if (asked.operation != control::Operation::kStart)
    return "nothing is being recorded";
  if (const char *why = WhyRefused(asked))
    return why;
  if (const char *why = WhyMarksStayOff())
    return why;
  if (asked.window_ns && !LoadedModulesChangeCopies())
    return kNoWindows;
  SwitchMarksOn(/*late=*/true);
  return WhyNotStarted(RequestStart(ConfigForControl(asked)));
}

/// On a thread of the program, where it may take locks and memory.
static void AnswerLateStart() {
  ControlRequest request;
  if (request.Begin(__atomic_load_n(&asking, __ATOMIC_ACQUIRE)))
    request.Reply(StartLate(request.Asked()));
}

/// The kernel gives a process's signals to its first thread, if that lets them
/// in. If marks cannot be switched on there, another thread may be in code of
/// the program. ctl sends its signal again, so each of them has its turn.
static void PassToOtherThread(const siginfo_t &info) {
  static u32 turn;
  const u32 first = GetPidRaw();
  if (GetTidRaw() != first || UnderSystemCallFilter())
    return;
  PageVec<u32> tids;
  if (ListThreads(tids) && tids.size() > 1) {
    u32 other = tids[turn++ % tids.size()];
    if (other == first)
      other = tids[turn++ % tids.size()];
    Syscall(SYS_rt_tgsigqueueinfo, first, other, (uptr)info.si_signo,
            (uptr)&info);
  }
  tids.Free();
}

/// The signal is not of ctl, and does what it does natively: the process ends
/// when this handler returns.
static void TakeDefaultAction(const siginfo_t &info) {
  const u64 by_default[4] = {}; // the kernel's struct sigaction
  Syscall(SYS_rt_sigaction, (uptr)info.si_signo, (uptr)by_default, 0, 8);
  Syscall(SYS_rt_tgsigqueueinfo, GetPidRaw(), GetTidRaw(), (uptr)info.si_signo,
          (uptr)&info);
}

static void OnControlSignal(int, siginfo_t *info, void *interrupted) {
  // ctl queues its number, which is also in the field of the sender's.
  if (info->si_code != SI_QUEUE || info->si_pid != info->si_value.sival_int)
    return TakeDefaultAction(*info);
  if (info->si_uid && info->si_uid != (uid_t)Syscall(SYS_geteuid))
    return;
  const u32 ctl = (u32)info->si_value.sival_int;
  if (RecorderRuns())
    return PassControlToRecorder(ctl);
  if (MarksAreOn()) {
    // A forked child has no recorder before its first request. Its lock is held
    // with all signals blocked, so never by the thread that is here. In the
    // second phase of start-up, ctl sends the signal again.
    if (InServedProcess() && !EnsureRecorder())
      PassControlToRecorder(ctl);
    return;
  }
  __atomic_store_n(&asking, ctl, __ATOMIC_RELEASE);
  if (!LateStart(AnswerLateStart, *info, *(const ucontext_t *)interrupted))
    PassToOtherThread(*info);
}

void InitControlSignal() {
  const int signal_number = (int)ControlSignal();
  if (!signal_number || getauxval(AT_SECURE))
    return;
  auto *real = (decltype(&sigaction))ResolveReal("sigaction");
  struct sigaction action = {};
  if (!real || real(signal_number, nullptr, &action) ||
      (action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL)
    return;
  InitLateStartPoint();
  NoteLibc((const void *)real);
  action = {};
  action.sa_sigaction = OnControlSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  __builtin_memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
  if (!real(signal_number, &action, nullptr))
    ShowControlMarker((u32)signal_number, (const void *)OnControlSignal);
}

} // namespace pagetide

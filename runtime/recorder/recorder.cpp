//===- recorder.cpp - Periods: their clock, and what others ask -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/recorder.h"

#include "periods/staging.h"
#include "periods/watch.h"
#include "platform/bailout.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "recorder/control_service.h"
#include "recorder/credentials_follow.h"
#include "recorder/looks_before_close.h"
#include "recorder/mappings_watch.h"
#include "recorder/period.h"
#include "recorder/queries.h"
#include "recorder/recorder_state.h"
#include "recorder/recording.h"
#include "recorder/requests.h"
#include "recorder/schedule.h"
#include "recorder/slot_service.h"
#include "recorder/step_out.h"
#include "shadow/snapshot.h"
#include "threads/service_thread.h"
#include "threads/slot_requests.h"
#include "threads/slots.h"
#include "threads/unregistered.h"
#include "trace/pending_frames.h"
#include "trace/site_frames.h"
#include "trace/trace_encode.h"
#include "trace/trace_writer.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <signal.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;

/// As EndPeriod. False if it stopped the recording.
static bool EndPeriodOrStop(u32 flags, bool on_caller, const EndReason *last,
                            CopyRequest *copies = nullptr) {
  if (EndPeriod(flags, on_caller, last, copies))
    return true;
  StopRecording();
  return false;
}

static bool TraceIsFull() {
  const u64 limit = GetFlags().trace_limit_mib << 20;
  return limit && Tracing() && TraceBytes() >= limit;
}

/// Whether another trace follows a full one. If marks are on in windows only,
/// it loses nothing that is promised: it says since when its threads are exact.
/// Its folder drops the oldest.
static bool AnotherFollows() {
  return record_config.window_ns && GetFlags().keep_traces;
}

/// exec may take long, and other threads may run meanwhile. So each period has
/// an End frame until exec has failed.
static const EndReason *AnnouncedEnd() {
  return recorder_state.announced_end ? &recorder_state.end_reason : nullptr;
}

/// As EndPeriodOrStop. If the trace is full, the period is its last one.
static void EndPeriodWithinLimit(u32 flags, bool on_caller,
                                 CopyRequest *copies = nullptr) {
  if (!TraceIsFull()) {
    EndPeriodOrStop(flags, on_caller, AnnouncedEnd(), copies);
    return;
  }
  EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
             NoteCode::kInfo,
             AnotherFollows()
                 ? "the trace has reached its limit (option trace_limit_mib): "
                   "another one goes on"
                 : "the trace has reached its limit (option trace_limit_mib): "
                   "the recording ends here");
  const EndReason reason = EndReason::kStop;
  if (!EndPeriodOrStop(flags | kPeriodFinal, on_caller, &reason))
    return;
  EndRecording(reason);
  if (AnotherFollows())
    StartRecording(nullptr);
}

/// Ends a period because its time has passed. Further scheduled ends that have
/// passed since are overruns: they lengthened this period.
static void EndTimedPeriod(u64 now) {
  u64 period = __atomic_load_n(&record_config.period_ns, __ATOMIC_ACQUIRE);
  u64 due = recorder_state.next_end;
  if (period) {
    u64 missed = (now - due) / period;
    recorder_state.overruns += missed;
    due += missed * period;
  }
  if (AnnouncedEnd() && !AnyMarks()) {
    ++recorder_state.overruns;
    return Schedule(due);
  }
  EndPeriodWithinLimit(0, false);
  Schedule(due);
}

//===- Answers ------------------------------------------------------------===//

/// The program goes on, and the recorder's threads may not.
static int Leave(const char *why) {
  if (Recording()) {
    EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
               NoteCode::kLost, why);
    const EndReason reason = EndReason::kFailed;
    if (EndPeriodOrStop(kPeriodFinal, false, &reason))
      EndRecording(EndReason::kStop);
  }
  return StepOutForGood();
}

static int EndForProgram(EndReason reason) {
  if (!Recording())
    return PAGETIDE_NOT_RECORDING;
  if (!EndPeriodOrStop(kPeriodFinal, false, &reason))
    return PAGETIDE_OK;
  if (Tracing())
    DrainTraceWriter();
  // The program goes on if exec fails or a handler catches the abort.
  if (reason == EndReason::kExit) {
    EndRecording(reason);
  } else {
    recorder_state.announced_end = true;
    recorder_state.end_reason = reason;
    Schedule(MonotonicNs());
  }
  return PAGETIDE_OK;
}

/// exec has failed. A note follows the End frame at once: if the process is
/// killed next, `pagetide record` sees that its trace had not ended.
static int GoOn() {
  if (!AnnouncedEnd())
    return PAGETIDE_OK;
  recorder_state.announced_end = false;
  EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
             NoteCode::kInfo, "exec failed: the recording goes on");
  WriteFramesNow(PendingFrames());
  PendingFrames().clear();
  return PAGETIDE_OK;
}

/// The program asks to record while a recording is under way.
static int JoinRecording() {
  if (!record_config.by_record || membership == Membership::kJoined)
    return PAGETIDE_BUSY;
  // What was touched before is not in the program's first period. So its
  // callback does not see the period that ends here.
  membership = Membership::kLeft;
  if (!EndPeriodOrStop(kPeriodDriven, false, nullptr))
    return PAGETIDE_NO_MEMORY;
  membership = Membership::kJoined;
  Schedule(MonotonicNs());
  return PAGETIDE_OK;
}

/// The program asks to stop. A recording that it joined goes on without its
/// callback.
static int AnswerStop() {
  switch (membership) {
  case Membership::kLeft:
    return PAGETIDE_NOT_RECORDING;
  case Membership::kJoined:
    if (EndPeriodOrStop(kPeriodFinal, true, nullptr))
      Schedule(MonotonicNs());
    membership = Membership::kLeft;
    return PAGETIDE_OK;
  case Membership::kNone:
    break;
  }
  const EndReason reason = EndReason::kStop;
  if (EndPeriodOrStop(kPeriodFinal, true, &reason))
    EndRecording(reason);
  return PAGETIDE_OK;
}

static int Answer() {
  if (request.op == Op::kCredentials) {
    FollowCredentials(request.call);
    return PAGETIDE_OK;
  }
  if (request.op == Op::kStepOut)
    return StepOut((int)request.number);
  if (request.op == Op::kLeave)
    return Leave(request.why);
  if (!Recording() && request.op != Op::kStart)
    return PAGETIDE_NOT_RECORDING;
  switch (request.op) {
  case Op::kStart:
    return Recording() ? JoinRecording() : StartRecording(nullptr);
  case Op::kStop:
    return AnswerStop();
  case Op::kSetPeriod:
    ChangePeriod(request.number);
    return PAGETIDE_OK;
  case Op::kPeriodEnd:
    EndPeriodWithinLimit((u32)request.number, true);
    Schedule(MonotonicNs());
    return PAGETIDE_OK;
  case Op::kCopies:
    if (!recorder_state.engine->collect_standing)
      return PAGETIDE_UNSUPPORTED;
    EndPeriodWithinLimit(kPeriodDriven, true, request.copies);
    Schedule(MonotonicNs());
    return PAGETIDE_OK;
  case Op::kFlush:
    return !Tracing() || DrainTraceWriter() ? PAGETIDE_OK : PAGETIDE_IO;
  case Op::kQuery:
    return AnswerQuery();
  case Op::kCollect:
    return AnswerCollect();
  case Op::kAtexitHandlersDone:
    EndPeriodOrStop(0, true, nullptr);
    recorder_state.exiting = true;
    Schedule(MonotonicNs());
    return PAGETIDE_OK;
  case Op::kEndOfProgram:
    return EndForProgram(request.reason);
  case Op::kExecFailed:
    return GoOn();
  case Op::kCredentials:
  case Op::kStepOut:
  case Op::kLeave:
  case Op::kNone:
    break;
  }
  return PAGETIDE_INVALID;
}

//===- The thread ---------------------------------------------------------===//

/// The parent's trace, in a forked child whose parent recorded.
static char inherited_trace[4096];
static bool inherited;

/// Does what is due next. False if there was nothing to do.
static bool Work() {
  ServeSlots();
  if (Recording()) {
    TakeLooksBeforeClose();
    WriteNewSiteTables();
  }
  if (RequestWaits()) {
    AnswerRequest(Answer());
    return true;
  }
  if (AnswerControl())
    return true;
  const u64 now = MonotonicNs();
  if (!Recording() || !recorder_state.next_end || now < recorder_state.next_end)
    return false;
  EndTimedPeriod(now);
  return true;
}

/// A step was abandoned (bailout.h): the recording cannot go on.
static void Recover(const Reason &why) {
  const bool asked = RequestWaits();
  const bool starts = asked && request.op == Op::kStart && !Recording();
  if (starts)
    Warning("nothing can be recorded: %s.\n", why.text);
  else
    WarnOrStop("%s. Recording ends here.\n", why.text);
  Reason note;
  internal_snprintf(note.text, sizeof(note.text),
                    "recording ended before its time: %s", why.text);
  StopRecording(note.text);
  if (asked)
    AnswerRequest(starts ? PAGETIDE_IO : PAGETIDE_NO_MEMORY);
}

/// In a forked child whose parent recorded.
static void StartInChild() {
  Reason why;
  int status = PAGETIDE_OK;
  if (!Attempt(why, [&] { status = StartRecording(inherited_trace); })) {
    Recover(why);
    status = PAGETIDE_NO_MEMORY;
  }
  if (status && GetFlags().on_failure == OnFailure::kStop)
    WarnOrStop("process %u, a forked child, cannot be recorded.\n",
               ServedProcess());
}

//===- The end of the last thread -----------------------------------------===//

/// How often the recorder looks whether the program's threads have all ended
/// without a word: by the bare exit system call, or by a filter that ends one
/// alone.
constexpr u64 kLookForEndNs = 100 * kNsPerMs;
/// The same while nothing is recorded. Otherwise the recorder sleeps then.
constexpr u64 kLookWhileIdleNs = kNsPerSec;
PAGETIDE_RECORDER_STATE static u64 next_look_for_end;

/// Ends the process as its first thread has ended: the kernel would, if the
/// runtime's threads did not keep it.
[[noreturn]] static void EndAs(u32 status) {
  if (const u32 number = status & 0x7f) {
    const u64 by_default[4] = {}; // the kernel's struct sigaction
    const u64 none = 0;
    Syscall(SYS_rt_sigaction, number, (uptr)by_default, 0, 8);
    Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&none, 0, 8);
    Syscall(SYS_tgkill, GetPidRaw(), GetTidRaw(), number);
  }
  for (;;)
    Syscall(SYS_exit_group, status >> 8);
}

static u64 NextWake() {
  const u64 end = Recording() ? recorder_state.next_end : 0;
  return end && end < next_look_for_end ? end : next_look_for_end;
}

static void LookForEnd() {
  const u64 now = MonotonicNs();
  u32 status;
  if (now < next_look_for_end)
    return;
  if (recorder_state.marks_rest && !Recording())
    recorder_state.marks_rest = GiveBackShadow(RecorderMemfd());
  next_look_for_end =
      now + (Recording() || recorder_state.marks_rest ? kLookForEndNs
                                                      : kLookWhileIdleNs);
  if (!OnlyRuntimeIsLeft(status))
    return;
  Reason why;
  if (!Attempt(why, [] { EndForProgram(EndReason::kExit); }))
    Recover(why);
  EndAs(status);
}

static void RunRecorder(void *) {
  if (inherited) {
    inherited = false;
    StartInChild();
  }
  Reason failed;
  if (!Attempt(failed, [] { StepIn(); }))
    Recover(failed);
  while (!HasSteppedOut()) {
    LookForEnd(); // sets the time by which NextWake looks again
    u32 seen = RecorderWakes();
    Reason why;
    bool worked = false;
    if (!Attempt(why, [&] { worked = Work(); }))
      Recover(why);
    else if (!worked)
      RecorderSleep(seen, NextWake());
  }
}

void InitRecorder() {
  InitServiceThread({RunRecorder, RepublishWatch, OnRecorderGone});
}

//===- Fork ---------------------------------------------------------------===//

void LockRecorder(bool in_request) {
  LockRequests(in_request);
  LockServiceThread();
  LockSlotRequests();
}

void UnlockRecorder(bool in_request) {
  UnlockSlotRequests();
  UnlockServiceThread();
  UnlockRequests(in_request);
}

void RenewRecorderInChild() {
  inherited = Recording();
  if (inherited)
    internal_strncpy(inherited_trace, recorder_state.trace_path,
                     sizeof(inherited_trace) - 1);
  RenewServiceThreadInChild();
  self.in_request = false;
  RenewLooksInChild();
  SetRecording(false);
  if (!inherited)
    return; // the first request starts the recorder
  // fork returns in the child only after the child has begun to record, so that
  // a SIGKILL right after it loses nothing.
  if (EnsureRecorder()) {
    inherited = false; // starting later would miss the beginning
    return;
  }
  RequestFlush();
}

} // namespace pagetide

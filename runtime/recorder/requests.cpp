//===- requests.cpp - What other threads ask of the recorder --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/requests.h"

#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "recorder/callback_thread.h"
#include "shadow/mark_checks.h"
#include "threads/service_thread.h"
#include "threads/slots.h"

#include <sys/syscall.h>

namespace pagetide {

using namespace trace;

/// Held by the thread that has made the request.
PAGETIDE_ZERO_IN_CHILD static Lock request_lock;
PAGETIDE_ZERO_IN_CHILD Request request;

static bool MayRequest() { return !self.in_request && InServedProcess(); }

/// What the recorder has the caller do meanwhile.
static void ActOnCaller(u32 turn) {
  switch (turn) {
  case kCallerHolds:
    request.holds = request.copies->hold(request.copies->user);
    return;
  case kCallerReleases:
    request.holds = false;
    request.copies->release(request.copies->user);
    return;
  default:
    RunCallback(*request.period);
  }
}

/// Hands `request` to the recorder and waits for the answer. The caller has
/// filled it in and holds the lock.
static int WaitForAnswer(Op op, u64 *saved_signals) {
  request.op = op;
  request.slot = CurrentSlot();
  request.result = PAGETIDE_OK;
  StoreRelease(&request.turn, kRecorder);
  WakeRecorder();
  for (u32 turn; (turn = LoadAcquire(&request.turn)) != kAnswered;) {
    if (turn == kRecorder) {
      if (!WaitForRecorder(&request.turn, turn))
        return PAGETIDE_NOT_RECORDING;
      continue;
    }
    // Restore the program's signal mask while its functions run.
    u64 blocked = 0;
    Syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (uptr)saved_signals,
            (uptr)&blocked, 8);
    ActOnCaller(turn);
    Syscall(SYS_rt_sigprocmask, 2, (uptr)&blocked, 0, 8);
    // For example, the callback called exec, and exec failed: the program goes
    // on.
    if (self.abandoned_request) {
      self.abandoned_request = false;
      request_lock.Acquire();
      return PAGETIDE_OK;
    }
    StoreRelease(&request.turn, kRecorder);
    WakeRecorder();
  }
  request.op = Op::kNone;
  StoreRelease(&request.turn, kIdle);
  return request.result;
}

/// Runs set_arguments(request), hands the request to the recorder, and runs
/// get_results(request) when it is answered. Signals are blocked meanwhile: a
/// handler that ends the program must not find the lock held by its own thread.
template <typename SetArguments, typename GetResults>
static int CallRecorder(Op op, SetArguments set_arguments,
                        GetResults get_results) {
  if (!MayRequest())
    return PAGETIDE_BUSY;
  if (EnsureRecorder())
    return RecorderHasGone() ? PAGETIDE_NOT_RECORDING : PAGETIDE_NO_MEMORY;
  u64 all = kAllSignals, saved = 0;
  Syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (uptr)&all, (uptr)&saved, 8);
  request_lock.Acquire();
  self.in_request = true;
  set_arguments(request);
  int result = WaitForAnswer(op, &saved);
  get_results(request);
  self.in_request = false;
  request_lock.Release();
  Syscall(SYS_rt_sigprocmask, 2, (uptr)&saved, 0, 8);
  return result;
}

template <typename SetArguments>
static int CallRecorder(Op op, SetArguments set_arguments) {
  return CallRecorder(op, set_arguments, [](Request &) {});
}

static int CallRecorder(Op op) {
  return CallRecorder(op, [](Request &) {});
}

int RequestStart(const RecordConfig &wanted) {
  return CallRecorder(Op::kStart, [&](Request &) {
    if (!Recording())
      record_config = wanted;
  });
}
int RequestStop() { return CallRecorder(Op::kStop); }
int RequestSetPeriod(u64 ns) {
  // A callback may make this call: it needs no answer.
  if (self.in_request) {
    if (!Recording())
      return PAGETIDE_NOT_RECORDING;
    __atomic_store_n(&record_config.period_ns, ns, __ATOMIC_RELEASE);
    return PAGETIDE_OK;
  }
  return CallRecorder(Op::kSetPeriod, [&](Request &r) { r.number = ns; });
}
int RequestPeriodEnd(u32 flags) {
  return CallRecorder(Op::kPeriodEnd, [&](Request &r) { r.number = flags; });
}
int RequestCopies(CopyRequest &wanted) {
  return CallRecorder(
      Op::kCopies,
      [&](Request &r) {
        r.copies = &wanted;
        r.holds = false;
      },
      [](Request &r) {
        // The recording has ended before its time.
        if (r.holds)
          r.copies->release(r.copies->user);
        r.copies = nullptr;
      });
}
int RequestFlush() { return CallRecorder(Op::kFlush); }
int RequestQuery(uptr address, uptr bytes) {
  return CallRecorder(Op::kQuery, [&](Request &r) {
    r.address = address;
    r.bytes = bytes;
  });
}
int RequestCollect(uptr address, uptr bytes, pagetide_run *runs, uptr capacity,
                   uptr *count) {
  return CallRecorder(
      Op::kCollect,
      [&](Request &r) {
        r.address = address;
        r.bytes = bytes;
        r.runs = runs;
        r.capacity = capacity;
        r.count = 0;
      },
      [&](Request &r) { *count = r.count; });
}

int RequestStepOut(int socket) {
  return CallRecorder(Op::kStepOut,
                      [&](Request &r) { r.number = (u64)socket; });
}
int RequestLeave(const char *why) {
  return CallRecorder(Op::kLeave, [&](Request &r) { r.why = why; });
}

void OnAtexitHandlersDone() {
  if (Recording() && GetFlags().kernel_writes)
    CallRecorder(Op::kAtexitHandlersDone);
}

/// A callback ends the program or calls exec. The recorder goes on as if the
/// callback had returned, and the period is written.
static void AbandonRequest() {
  u64 all = kAllSignals, saved = 0;
  Syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (uptr)&all, (uptr)&saved, 8);
  if (!AbandonCallback() && !self.abandoned_request) {
    StoreRelease(&request.turn, kRecorder);
    WakeRecorder();
    for (u32 turn; (turn = LoadAcquire(&request.turn)) != kAnswered;)
      FutexWait(&request.turn, turn);
    request.op = Op::kNone;
    StoreRelease(&request.turn, kIdle);
    request_lock.Release();
    self.abandoned_request = true;
  }
  Syscall(SYS_rt_sigprocmask, 2, (uptr)&saved, 0, 8);
}

void EndOfProgram(EndReason reason) {
  const bool recording = Recording();
  if (recording && !InServedProcess())
    return; // a child of vfork
  ReportMarkChecks();
  if (!recording)
    return;
  const bool in_callback = self.in_request;
  if (in_callback) {
    AbandonRequest();
    self.in_request = false;
  }
  CallRecorder(Op::kEndOfProgram, [&](Request &r) { r.reason = reason; });
  self.in_request = in_callback;
}

void OnExecFailed() {
  if (!Recording())
    return;
  const bool in_callback = self.in_request; // which EndOfProgram has abandoned
  self.in_request = false;
  CallRecorder(Op::kExecFailed);
  self.in_request = in_callback;
}

void ApplyCredentialsToRuntimeThreads(long number, uptr a, uptr b, uptr c,
                                      uptr d, uptr e) {
  if (!RecorderRuns() || !InServedProcess())
    return; // there is no recorder, or this is a child of vfork
  if (self.in_request) {
    Warning("the program changes its user, group or capabilities in a "
            "callback. The recorder's threads cannot follow there: they keep "
            "the former ones.\n");
    return;
  }
  CallRecorder(Op::kCredentials,
               [&](Request &r) { r.call = {number, {a, b, c, d, e}}; });
}

//===- The callback -------------------------------------------------------===//

/// exit() destroys the program's static objects before this library ends. The
/// callback may use the objects that existed when it was set. atexit handlers
/// run in reverse order, so those objects still exist here.
static void GiveLastPeriod() {
  if (!HasCallback())
    return;
  if (Recording())
    RequestPeriodEnd(trace::kPeriodFinal);
  SetCallback(nullptr, nullptr, GiveLastPeriod);
}

int RequestCallback(pagetide_callback callback, void *user) {
  return SetCallback(callback, user, GiveLastPeriod);
}

//===- On the recorder's thread -------------------------------------------===//

bool RequestWaits() { return LoadAcquire(&request.turn) == kRecorder; }

void AnswerRequest(int result) {
  request.result = result;
  StoreRelease(&request.turn, kAnswered);
  FutexWakeAll(&request.turn);
}

static void LetCallerAct(Turn turn) {
  StoreRelease(&request.turn, turn);
  FutexWakeAll(&request.turn);
}

void LetCallerRunCallback(const pagetide_period &period) {
  request.period = &period;
  LetCallerAct(kCallerRunsCallback);
}

void LetCallerHold(bool hold) {
  LetCallerAct(hold ? kCallerHolds : kCallerReleases);
}

//===- Start, end and fork ------------------------------------------------===//

void OnRecorderGone() {
  SetRecording(false);
  StoreRelease(&request.turn, kIdle);
}

void LockRequests(bool in_request) {
  if (!in_request)
    request_lock.Acquire();
}

void UnlockRequests(bool in_request) {
  if (!in_request)
    request_lock.Release();
}

} // namespace pagetide

//===- requests.cpp - What other threads ask of the recorder --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// Held by the thread whose request is under way.
static Lock request_lock;
Request request;

static bool MayRequest() { return !self.in_request && InServedProcess(); }

/// Sends `request`, filled in by the caller, who holds the lock.
static int Send(Op op, u64 *saved_signals) {
  request.op = op;
  request.slot = CurrentSlot();
  request.result = PAGETIDE_OK;
  StoreRelease(&request.turn, kRecorder);
  WakeRecorder();
  for (u32 turn; (turn = LoadAcquire(&request.turn)) != kAnswered;) {
    if (turn != kCallerRunsCallback) {
      if (!WaitForRecorder(&request.turn, turn))
        return PAGETIDE_NOT_RECORDING;
      continue;
    }
    // The program's own code: it gets its own signal mask back for the while.
    u64 blocked = 0;
    Syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (uptr)saved_signals,
            (uptr)&blocked, 8);
    RunCallback(*request.period);
    Syscall(SYS_rt_sigprocmask, 2, (uptr)&blocked, 0, 8);
    if (self.left_request) { // and the program went on: exec failed, say
      self.left_request = false;
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

/// Runs fill(request), sends, runs take(request), with the lock held and
/// signals blocked: a handler that ends the program must not find the lock
/// held by its own thread.
template <typename Fill, typename Take>
static int Ask(Op op, Fill fill, Take take) {
  if (!MayRequest())
    return PAGETIDE_BUSY;
  if (EnsureRecorder())
    return RecorderHasGone() ? PAGETIDE_NOT_RECORDING : PAGETIDE_NO_MEMORY;
  u64 all = signals_to_block, saved = 0;
  Syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (uptr)&all, (uptr)&saved, 8);
  request_lock.Acquire();
  self.in_request = true;
  fill(request);
  int result = Send(op, &saved);
  take(request);
  self.in_request = false;
  request_lock.Release();
  Syscall(SYS_rt_sigprocmask, 2, (uptr)&saved, 0, 8);
  return result;
}

static void Nothing(Request &) {}

int RequestStart(const RecordConfig &wanted) {
  return Ask(
      Op::kStart,
      [&](Request &) {
        if (!Recording())
          record_config = wanted;
      },
      Nothing);
}
int RequestStop() { return Ask(Op::kStop, Nothing, Nothing); }
int RequestSetPeriod(u64 ns) {
  // The one call that a callback may make: it needs no answer.
  if (self.in_request) {
    if (!Recording())
      return PAGETIDE_NOT_RECORDING;
    __atomic_store_n(&record_config.period_ns, ns, __ATOMIC_RELEASE);
    return PAGETIDE_OK;
  }
  return Ask(Op::kSetPeriod, [&](Request &r) { r.number = ns; }, Nothing);
}
int RequestPeriodEnd(u32 flags) {
  return Ask(Op::kPeriodEnd, [&](Request &r) { r.number = flags; }, Nothing);
}
int RequestFlush() { return Ask(Op::kFlush, Nothing, Nothing); }
int RequestQuery(uptr address, uptr bytes) {
  return Ask(
      Op::kQuery,
      [&](Request &r) {
        r.address = address;
        r.bytes = bytes;
      },
      Nothing);
}
int RequestCollect(uptr address, uptr bytes, pagetide_run *runs, uptr capacity,
                   uptr *count) {
  return Ask(
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

void EndOfHandlers() {
  if (Recording() && GetFlags().kernel_writes)
    Ask(Op::kEndOfHandlers, Nothing, Nothing);
}

/// A callback ends the program, or makes it another: the recorder goes on as if
/// it had returned, and the period is written.
static void LeaveRequest() {
  u64 all = signals_to_block, saved = 0;
  Syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (uptr)&all, (uptr)&saved, 8);
  if (!LeaveCallback() && !self.left_request) {
    StoreRelease(&request.turn, kRecorder);
    WakeRecorder();
    for (u32 turn; (turn = LoadAcquire(&request.turn)) != kAnswered;)
      FutexWait(&request.turn, turn);
    request.op = Op::kNone;
    StoreRelease(&request.turn, kIdle);
    request_lock.Release();
    self.left_request = true;
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
    LeaveRequest();
    self.in_request = false;
  }
  Ask(Op::kEndOfProgram, [&](Request &r) { r.reason = reason; }, Nothing);
  self.in_request = in_callback;
}

void RepeatOnRecorder(long number, uptr a, uptr b, uptr c, uptr d, uptr e) {
  if (!RecorderRuns() || !InServedProcess())
    return; // there is no recorder, or this is a child by vfork
  if (self.in_request) {
    Warning("the program changes its rights in a callback, where the "
            "recorder's threads cannot follow: they keep the former ones.\n");
    return;
  }
  Ask(
      Op::kRepeat, [&](Request &r) { r.call = {number, {a, b, c, d, e}}; },
      Nothing);
}

//===- The callback -------------------------------------------------------===//

/// exit() destroys the program's static objects before this library ends. The
/// callback may use those that stood when it was set; atexit handlers run in
/// reverse order, so here they still stand.
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

void LetCallerRunCallback(const pagetide_period &period) {
  request.period = &period;
  StoreRelease(&request.turn, kCallerRunsCallback);
  FutexWakeAll(&request.turn);
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

void RenewRequestsInChild() {
  request_lock.Reset();
  request = {};
  self.in_request = false;
}

} // namespace pagetide

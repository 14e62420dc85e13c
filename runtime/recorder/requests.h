//===- requests.h - What other threads ask of the recorder ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that needs the recorder fills in the one request, wakes the recorder
// and waits for the answer. If the thread asked to end a period, it runs the
// program's callback while it waits.

#pragma once

#include "pagetide/cut_copies.h"
#include "pagetide/pagetide.h"
#include "pagetide/trace_format.h"
#include "platform/fork_reset.h"
#include "recorder/credentials_follow.h"
#include "recorder/recorder_state.h"

namespace pagetide {

//===- From any thread ----------------------------------------------------===//

// Results are of enum pagetide_status. PAGETIDE_BUSY: the caller is in a
// callback, or in a child of vfork.

int RequestStart(const RecordConfig &config);
int RequestStop();
int RequestSetPeriod(u64 ns);
/// `flags`: trace::PeriodFlags of the period.
int RequestPeriodEnd(u32 flags);
/// Ends the period in a cut, and copies pages.
int RequestCopies(CopyRequest &wanted);
int RequestFlush();
int RequestQuery(uptr address, uptr bytes);
int RequestCollect(uptr address, uptr bytes, pagetide_run *runs, uptr capacity,
                   uptr *count);

/// Sets the program's callback; null: none.
int RequestCallback(pagetide_callback callback, void *user);

/// The process is about to end, or to execute another program. The running
/// period ends, and everything is written. Does nothing if no recording is
/// under way.
void EndOfProgram(trace::EndReason reason);
/// exec has failed, so the program goes on.
void OnExecFailed();

/// The calling thread has just made a system call that changes its user, group
/// or capabilities. Makes the same call on the recorder's threads, as libc does
/// on its own threads. If the call fails there, ends the process: nobody would
/// know which credentials it has.
void ApplyCredentialsToRuntimeThreads(long number, uptr a = 0, uptr b = 0,
                                      uptr c = 0, uptr d = 0, uptr e = 0);

/// The recorder's threads end, and their descriptors go into `socket`, a number
/// of the program's. See step_out.h.
int RequestStepOut(int socket);
/// The recording ends, for the reason told, and with it the recorder's threads.
int RequestLeave(const char *why);

/// The program's exit handlers have run; the destructors of its modules come
/// next. Some of these belong to the compiler's start-up files, which are not
/// instrumented. Option kernel_writes gives them a period of their own.
void OnAtexitHandlersDone();

//===- On the recorder's thread -------------------------------------------===//

enum class Op : u32 {
  kNone,
  kStart,
  kStop,
  kSetPeriod,
  kPeriodEnd,
  kCopies,
  kFlush,
  kQuery,
  kCollect,
  kAtexitHandlersDone,
  kEndOfProgram,
  kExecFailed,
  kCredentials,
  kStepOut,
  kLeave,
};

/// Who has to act on the request.
enum Turn : u32 {
  kIdle,
  kRecorder,
  kCallerRunsCallback,
  kCallerHolds,    ///< other threads back, for a cut
  kCallerReleases, ///< them
  kAnswered
};

struct Request {
  Op op;
  u32 slot; ///< of the thread that asks
  u32 turn;
  int result;
  // Arguments and answers, by op.
  u64 number;
  uptr address, bytes;
  pagetide_run *runs;
  uptr capacity, count;
  trace::EndReason reason;
  const pagetide_period *period;
  CopyRequest *copies;
  const char *why;
  bool holds; ///< the caller does hold the others back
  CredentialCall call;
};

PAGETIDE_ZERO_IN_CHILD extern Request request;

/// True if a thread waits for an answer.
bool RequestWaits();
void AnswerRequest(int result);
/// Makes the thread that waits run the callback. RequestWaits() is true again
/// when the callback has returned.
void LetCallerRunCallback(const pagetide_period &period);
/// The same for hold (true) and release of request.copies.
void LetCallerHold(bool hold);

//===- Start, end and fork ------------------------------------------------===//

/// The recorder's thread was ended from outside: see ServiceHooks.
void OnRecorderGone();

/// Waits until no request is under way, unless it is the caller's own (a fork
/// in a callback).
void LockRequests(bool in_request);
void UnlockRequests(bool in_request);

} // namespace pagetide

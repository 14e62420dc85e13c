//===- requests.h - What other threads ask of the recorder ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that wants something of the recorder fills in the one request, wakes
// the recorder and waits for the answer. A callback runs meanwhile on the thread
// that asked to end the period.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_REQUESTS_H
#define PAGETIDE_RUNTIME_RECORDER_REQUESTS_H

#include "pagetide/pagetide.h"
#include "pagetide/trace_format.h"
#include "recorder/credentials_follow.h"
#include "recorder/recorder_state.h"

namespace pagetide {

//===- From any thread ----------------------------------------------------===//

// Results are of enum pagetide_status. PAGETIDE_BUSY where the caller is in a
// callback, or in a child made by vfork.

int RequestStart(const RecordConfig &config);
int RequestStop();
int RequestSetPeriod(u64 ns);
/// `flags`: trace::PeriodFlags of the period.
int RequestPeriodEnd(u32 flags);
int RequestFlush();
int RequestQuery(uptr address, uptr bytes);
int RequestCollect(uptr address, uptr bytes, pagetide_run *runs, uptr capacity,
                   uptr *count);

/// Sets the program's callback; null: none.
int RequestCallback(pagetide_callback callback, void *user);

/// The process is about to end, or to become another program: the running
/// period ends, and all is written. Does nothing where nothing is recorded.
void EndOfProgram(trace::EndReason reason);

/// Makes a system call that the calling thread has just made, which changes the
/// rights of a thread, on the recorder's threads too, as libc does on its own.
/// Dies where it fails there: the program's rights would be unknown.
void RepeatOnRecorder(long number, uptr a = 0, uptr b = 0, uptr c = 0,
                      uptr d = 0, uptr e = 0);

/// The program's exit handlers have run, and the destructors of its files come
/// next, those of the compiler's start-up files among them, which nobody
/// instruments: under option kernel_writes they have a period of their own.
void EndOfHandlers();

//===- On the recorder's thread -------------------------------------------===//

enum class Op : u32 {
  kNone,
  kStart,
  kStop,
  kSetPeriod,
  kPeriodEnd,
  kFlush,
  kQuery,
  kCollect,
  kEndOfHandlers,
  kEndOfProgram,
  kRepeat,
};

/// Who has the request: it goes round, or back and forth for a callback.
enum Turn : u32 { kIdle, kRecorder, kCallerRunsCallback, kAnswered };

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
  CredentialCall call;
};

extern Request request;

/// True if a thread waits for an answer.
bool RequestWaits();
void AnswerRequest(int result);
/// Has the thread whose request is under way run the callback. It is done when
/// RequestWaits() is true again.
void LetCallerRunCallback(const pagetide_period &period);

//===- Start, end and fork ------------------------------------------------===//

/// Something has ended the recorder's thread alone: see ServiceHooks.
void OnRecorderGone();

/// Waits for a request under way, unless it is the caller's own (a fork in a
/// callback).
void LockRequests(bool in_request);
void UnlockRequests(bool in_request);
void RenewRequestsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_REQUESTS_H

//===- recorder.h - Periods: their clock, and what happens at their end ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread a process, which sleeps until a period ends or somebody asks
// something of it. It alone takes marks, hashes pages and begins or ends
// recording; other threads send it requests and wait for the answer.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_RECORDER_H
#define PAGETIDE_RUNTIME_RECORDER_RECORDER_H

#include "pagetide/pagetide.h"
#include "pagetide/trace_format.h"
#include "platform/syscalls.h"

namespace pagetide {

struct RecordConfig {
  u64 period_ns;
  bool per_thread;
  trace::ChecksumMode checksum;
  trace::UnstablePolicy unstable;
  char trace_path[4096]; ///< absolute; empty: none
  char control[108];     ///< socket of `pagetide record`; empty: none
};

/// What PAGETIDE_OPTIONS asks for.
RecordConfig ConfigFromFlags();
/// Makes `path` (null or empty: none) absolute and puts it in. Returns 0 or an
/// errno: it is too long, or relative to a directory that has no path.
int SetTracePath(RecordConfig &config, const char *path);

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

bool Recording();

/// Fork handlers' part. Waits for a request under way, unless it is the
/// caller's own (a fork in a callback).
void LockRecorder(bool in_request);
void UnlockRecorder(bool in_request);
/// Forgets the parent's recorder and goes on with a new one, recording if the
/// parent did.
void RenewRecorderInChild();

/// Second phase, before any request.
void InitRecorder();

//===- For the engine, on the recorder's thread ---------------------------===//

/// The trace is to say what it lacks.
void NoteLost(const char *what);
/// To be called before a retired slot is freed: its thread goes into the trace.
void ObserveThreadEnd(u32 slot);
/// Takes what ended threads left (or drops it) and frees their slots.
void EmptyRetiredSlots(bool keep_marks);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_RECORDER_H

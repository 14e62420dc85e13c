//===- pending_frames.h - What the trace is told between periods ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames other than a period's wait here until the next period ends. They are
// written before that period's frames. All functions are for the recorder's
// thread.

#pragma once

#include "platform/page_vec.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Whether a trace is written.
bool Tracing();
void SetTracing(bool tracing);

/// The waiting frames: each is a PendingFrame and its payload.
PageVec<u8> &PendingFrames();

/// Adds a note that says what the trace lacks.
void NoteLost(const char *what);

/// The same from any thread, also before recording begins. The first few such
/// notes are in each trace. Longer ones are cut.
constexpr uptr kMaxNoteOfProgram = 256;
void NoteLostByProgram(const char *what);
/// The recorder: adds those that are new.
void TakeNotesOfProgram();

//===- Threads that come and go -------------------------------------------===//

/// A recording starts: no thread is in the trace yet.
void ForgetThreads();
/// Switches ObserveThreadEnd on and off.
void ObserveThreadEnds(bool recording);
/// Adds frames for new threads. From time to time looks for threads that have
/// ended without running their destructors.
void ObserveThreads(u64 now);
/// Adds a frame for the end of a slot's thread. Call it before a retired slot
/// is freed.
void ObserveThreadEnd(u32 slot);

} // namespace pagetide

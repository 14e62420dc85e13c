//===- pending_frames.h - What the trace is told between periods ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames other than a period's are kept here until the next period ends: they go
// into the trace before it. All functions are for the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_TRACE_PENDING_FRAMES_H
#define PAGETIDE_RUNTIME_TRACE_PENDING_FRAMES_H

#include "platform/page_vec.h"
#include "platform/syscalls.h"

namespace pagetide {

/// Whether a trace is written.
bool Tracing();
void SetTracing(bool tracing);

/// In front of the next period: PendingFrame and payload, one after the other.
PageVec<u8> &PendingFrames();

/// The trace is to say what it lacks.
void NoteLost(const char *what);

//===- Threads that come and go -------------------------------------------===//

/// Recording begins: no thread is in the trace yet.
void ForgetThreads();
/// Whether ObserveThreadEnd has something to do: while it is recorded.
void ObserveThreadEnds(bool recording);
/// Tells of threads that have come. From time to time looks for those that have
/// gone and told nobody.
void ObserveThreads(u64 now);
/// To be called before a retired slot is freed: its thread goes into the trace.
void ObserveThreadEnd(u32 slot);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_TRACE_PENDING_FRAMES_H

//===- trace_writer.h - Writes the trace, behind the recorder -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writer has a thread of its own. Up to kMaxPendingPeriods periods may wait
// for a slow disk before periods get longer. All functions are for the
// recorder's thread.

#pragma once

#include "periods/period_result.h"
#include "platform/page_vec.h"

namespace pagetide {

/// Writes the header and the `first` frames (PendingFrame), then starts the
/// thread. From then on `fd` belongs to the writer. It still belongs to the
/// caller if this function does not return (bailout.h).
void StartTraceWriter(int fd, const char *path, const trace::FileHeader &header,
                      const PageVec<u8> &first);

/// Queues a closed period. Its chunks are released when it has been written, or
/// when writing has failed.
void QueuePeriod(PeriodResult *result);

/// The bytes that the trace has now. Periods may still wait in the queue.
u64 TraceBytes();

/// Waits until all queued periods have been passed to the kernel. False if
/// writing has failed; a message was printed then.
bool DrainTraceWriter();
/// Runs `function` on the writer's thread between two periods and waits for it.
/// Does nothing if there is no writer.
void RunOnTraceWriter(void (*function)(void *), void *arg);

/// Writes frames (PendingFrame) between two periods, and waits for that. Does
/// nothing if there is no writer.
void WriteFramesNow(const PageVec<u8> &frames);

/// Writes what is queued and ends the writer's thread, but not the trace.
void PauseTraceWriter();
/// Starts it again, or bails out. The file's descriptor is what it was.
void ResumeTraceWriter();

/// If a seccomp filter has ended only the writer's thread, ends the calling
/// thread too, which is the recorder's. Then the staged periods stay there for
/// `pagetide record`.
void EndWithTraceWriter();

/// Drains the queue, ends the thread and closes the file. If `why` is not null
/// the recording ended early, and the trace says so.
void StopTraceWriter(const char *why = nullptr);

} // namespace pagetide

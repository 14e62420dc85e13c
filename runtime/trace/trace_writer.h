//===- trace_writer.h - Writes the trace, behind the recorder -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of its own, so that a slow disk delays writing before it lengthens
// periods: up to kMaxPendingPeriods periods may wait. All functions are for the
// recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_TRACE_TRACE_WRITER_H
#define PAGETIDE_RUNTIME_TRACE_TRACE_WRITER_H

#include "periods/period_result.h"
#include "platform/page_vec.h"

namespace pagetide {

/// Starts the thread; the header and the `first` frames (PendingFrame) are
/// written before this returns. Then `fd` is the writer's; where it leaves off
/// (bailout.h) it is still the caller's.
void StartTraceWriter(int fd, const char *path, const trace::FileHeader &header,
                      const PageVec<u8> &first);

/// Queues a closed period; its chunks are released when it is written, or when
/// writing has failed.
void QueuePeriod(PeriodResult *result);

/// Returns when all queued periods are handed to the kernel. False where
/// writing failed (a message was printed when it did).
bool DrainTraceWriter();
/// Runs `function` on the writer's thread, if there is one, between two periods,
/// and waits for it.
void RunOnTraceWriter(void (*function)(void *), void *arg);

/// Where something has ended the writer's thread alone, as only a system call
/// filter does, ends the calling thread, the recorder, too: what waits in staging
/// then stays there for `pagetide record`.
void EndWithTraceWriter();

/// Drains, ends the thread and closes the file. `why` not null: recording ended
/// before its time, and the trace says so.
void StopTraceWriter(const char *why = nullptr);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_TRACE_TRACE_WRITER_H

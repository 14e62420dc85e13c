//===- cut_workers.h - Threads that help while the program's stand --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While the program's threads stand for a cut, their processors are idle. So
// the recorder shares its work with threads of its own, one for each other
// processor. They sleep at all other times.
//
// For the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_CUT_WORKERS_H
#define PAGETIDE_RUNTIME_RECORDER_CUT_WORKERS_H

#include "platform/syscalls.h"

namespace pagetide {

/// The recorder's own thread is worker 0.
constexpr u32 kMaxCutWorkers = 4;

/// Starts the threads if they do not run. Without them, or where they cannot be
/// started, the recorder works alone.
void StartCutWorkers();
/// The recording has ended.
void StopCutWorkers();

/// The threads stand: the workers stay awake until RestCutWorkers.
void GatherCutWorkers();
void RestCutWorkers();

/// Calls work(worker, part, argument) once for each part in [0, parts), on this
/// thread and on those that are gathered. False if one of these was ended from
/// outside, so that a part may be missing.
bool ShareWork(u32 parts, void (*work)(u32 worker, u32 part, void *argument),
               void *argument);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_CUT_WORKERS_H

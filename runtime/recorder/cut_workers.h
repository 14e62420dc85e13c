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

#include "periods/page_hash.h"

namespace pagetide {

/// Starts the threads, one less than kMaxPageReaders at most, if they do not
/// run. Without them, or where they cannot be started, the recorder works
/// alone.
void StartCutWorkers();
/// The recording has ended.
void StopCutWorkers();

/// The threads stand: the workers stay awake until RestCutWorkers.
void GatherCutWorkers();
void RestCutWorkers();

/// Calls work(worker, part, argument) once for each part in [0, parts), on this
/// thread, which is worker 0, and on those that are gathered. False if one of
/// these was ended from outside, so that a part may be missing.
bool ShareWork(u32 parts, PartWork work, void *argument);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_CUT_WORKERS_H

//===- cut_workers.h - Processes that read pages for a cut ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faulting readers (faulting_reads.h), which read pages faster than the
// recorder can. They live for one cut. While the program's threads run, one of
// them works and the recorder sleeps. While these threads stand their
// processors are idle, so there is a reader for each.
//
// For the recorder's thread.

#pragma once

#include "periods/page_hash.h"

namespace pagetide {

/// Starts them, as far as the system allows.
void StartCutWorkers();
/// They are to end. That may take milliseconds, if the program's threads have
/// their processors again.
void StopCutWorkers();
/// Waits until they have ended.
void AwaitCutWorkers();

/// The threads stand: all workers stay awake until RestCutWorkers.
void GatherCutWorkers();
void RestCutWorkers();
bool AreCutWorkersGathered();

/// The workers. Those that were gathered begin at once. The first one joins
/// them when the recorder waits, since it may need the recorder's processor. A
/// part may be missing if there are no workers, if one was ended from outside,
/// or if a part took a second: a page may have to be fetched, and may never
/// come (userfaultfd).
extern const ReadingHelp kCutWorkers;

} // namespace pagetide

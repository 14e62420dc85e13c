//===- settled.h - Have threads made the accesses they marked? ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mark precedes its access. A thread that is preempted in between writes a
// page after the period that names the page has ended. It is settled for that
// period's end once it must have made the access: it has used CPU time beyond
// the skew margin since, or it is blocked in a system call, or it has ended.
// docs/reference/contract.md (Settled and carried) says what follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PERIODS_SETTLED_H
#define PAGETIDE_RUNTIME_PERIODS_SETTLED_H

#include "periods/staging.h"
#include "platform/page_vec.h"

namespace pagetide {

/// A thread that wrote in the period just collected.
struct WriterOfPeriod {
  u32 slot;
  u32 tid; ///< 0: several threads, never settled
  u64 generation;
  u64 cpu_ns; ///< its CPU time when its marks had been taken
  uptr first; ///< its words with write marks, into a vector of such
  uptr count;
  bool waits; ///< it has settled: see SettleSlot
};

/// Where the engine's collect() adds who wrote what. Entries of threads that
/// have not settled yet stay in front.
PageVec<WriterOfPeriod> &WritersSoFar();
PageVec<StagedWord> &WrittenSoFar();

/// Forgets all of them.
void ForgetWriters();

/// Call when collect() has taken the marks. Looks for threads that have no slot
/// of their own. Any writer's marks may be theirs, so no writer is settled
/// before they are.
void RecordUnregisteredThreads();

/// Waits up to wait_ns for the writers to settle. What those that did not have
/// written is carried into the open period, and, if `unsettled` is not null,
/// its words are put there (not sorted). False where staging is full.
bool CarryUnsettled(u64 wait_ns, PageVec<StagedWord> *unsettled = nullptr);

/// The thread of this slot waits inside the runtime: it has settled for
/// everything before (unregistered threads that share its slot have not).
void SettleSlot(u32 slot);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PERIODS_SETTLED_H

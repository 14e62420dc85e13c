//===- settled.h - Have threads made the accesses they marked? ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mark precedes its access. A thread that is preempted in between writes a
// page after the period that names the page has ended. It is settled for that
// period's end when it must have made the access. That is so if it has since
// used CPU time beyond the skew margin, if it is blocked in a system call, or
// if it has ended. docs/reference/contract.md (Settled and carried) says what
// follows.

#pragma once

#include "periods/staging.h"
#include "platform/page_vec.h"

namespace pagetide {

/// A thread that wrote in the period just collected.
struct WriterOfPeriod {
  u32 slot;
  u32 tid; ///< 0: several threads, see shared_writes.h
  u64 generation;
  u64 cpu_ns; ///< its CPU time when its marks had been taken
  uptr first; ///< index of its first word with write marks in WrittenSoFar()
  uptr count;
  bool waits; ///< it has settled: see SettleSlot
};

/// The engine's collect() adds here who wrote what. Entries of threads that
/// have not settled yet stay at the front. Those of several threads leave the
/// list with the next CarryUnsettled.
PageVec<WriterOfPeriod> &WritersSoFar();
PageVec<StagedWord> &WrittenSoFar();

/// Forgets all of them.
void ForgetWriters();

/// Call when collect() has taken the marks. Looks for threads that have no slot
/// of their own. Any writer's marks may be theirs. So no writer is settled
/// before these threads are.
void RecordUnregisteredThreads();

/// Waits up to wait_ns for the writers to settle. Carries what unsettled
/// writers wrote into the open period. If `unsettled` is not null, appends
/// those words to it (not sorted). False if staging is full.
bool CarryUnsettled(u64 wait_ns, PageVec<StagedWord> *unsettled = nullptr);

/// The thread of this slot waits inside the runtime, so it has made all
/// accesses that it marked. (Unregistered threads that share its slot may not
/// have.)
void SettleSlot(u32 slot);

} // namespace pagetide

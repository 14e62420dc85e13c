//===- fork_engine.cpp - Page sets by copies that the kernel shares -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs without instrumented code, on kernels without asynchronous
// userfaultfd too. At each boundary the kernel makes a copy of the program's
// memory, which shares all pages with it (keeper.h). Where this copy and that
// of the last boundary differ, the program has written (kept_writes.h).
//
// All copies stand still, so threads are not stopped beyond the clone, and no
// write can come between two looks. Contents are those of the newest copy.

#include "engines/fork_engine.h"

#include "engines/keeper.h"
#include "engines/kept_writes.h"
#include "engines/staged_runs.h"
#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/mapping_changes.h"
#include "platform/own_memory.h"
#include "platform/proc_maps.h"
#include "shadow/shadow.h"
#include "trace/pending_frames.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

namespace pagetide {

namespace {
struct Fork {
  Keeper kept;  ///< of the last boundary
  Keeper fresh; ///< of this one
  u64 changes;  ///< of shared_changes that were noted before it
  bool had_relatives;
  MappingList mappings;
  PageVec<AddressRange> own, own_now;
  PageVec<MappingChange> moves;
  PageVec<WrittenRun> runs;
  PageVec<UntrackedRange> untracked, told;
  StagedRuns staged;
};
} // namespace

PAGETIDE_RECORDER_STATE static Fork fork_state;

//===- What must be known beside the copies -------------------------------===//

/// The runtime's own memory is in no set. The writer's thread maps and unmaps
/// some while the copy is made.
static void AddOwn() {
  ListOwnMemory(fork_state.own_now);
  for (const AddressRange &range : fork_state.own_now)
    fork_state.own.push_back(range);
}

/// Lists what was moved since the last boundary. False if that is not known.
static bool ListMoves() {
  // Who has moved memory notes it when the call has returned.
  constexpr u64 kMaxWaitNs = kNsPerSec;
  const u64 deadline = MonotonicNs() + kMaxWaitNs;
  while (AnySharedChangeUnderWay() && MonotonicNs() < deadline)
    Syscall(SYS_sched_yield);
  fork_state.moves.clear();
  return !AnySharedChangeUnderWay() &&
         ListSharedChanges(fork_state.changes, fork_state.moves);
}

static void NoteUnkept() {
  for (const MappingChange &change : fork_state.moves)
    if (change.writers == Writers::kUnkept)
      fork_state.untracked.push_back(
          {change.begin, change.end, "the program keeps it from forks"});
    else if (change.writers == Writers::kMerged)
      fork_state.untracked.push_back(
          {change.begin, change.end, "the kernel may merge its pages (KSM)"});
  for (const UntrackedRange &range : fork_state.untracked)
    NoteUntracked("fork", range, fork_state.told);
}

/// Many processes are forked only to execute another program at once.
static bool KeepRelatives() {
  constexpr u64 kMaxWaitNs = 20 * kNsPerMs;
  const u64 deadline = MonotonicNs() + kMaxWaitNs;
  while (HasRelatives()) {
    if (fork_state.had_relatives || MonotonicNs() >= deadline) {
      if (!fork_state.had_relatives)
        NoteLost("memory is shared with a process that was forked: engine fork "
                 "does not see writes that leave a page of it as it was at the "
                 "last boundary");
      fork_state.had_relatives = true;
      return true;
    }
    SleepNs(kNsPerMs / 4);
  }
  fork_state.had_relatives = false;
  return false;
}

//===- A boundary ---------------------------------------------------------===//

/// Lists in fork_state.runs what was written until the new keeper was made.
/// Returns null, or what failed as a static text.
static const char *Compare() {
  const Keeper &fresh = fork_state.fresh;
  const bool moves_known = ListMoves();
  if (ReadMappingsOf(fresh.pid, fork_state.mappings, ScratchRange))
    return "the list of a keeper's mappings";
  fork_state.untracked.clear();
  const char *failed =
      ListKeptWrites({fork_state.kept, fresh, fork_state.mappings,
                      moves_known ? &fork_state.moves : nullptr,
                      fork_state.kept.pid && KeepRelatives()},
                     fork_state.runs, fork_state.untracked);
  if (fork_state.kept.pid && !IsKept(fork_state.kept))
    failed = "a process that kept memory: somebody has killed it";
  else if (!IsKept(fresh))
    failed = "a process that keeps memory: somebody has killed it";
  AddOwn();
  SortRanges(fork_state.own);
  RemoveRanges(fork_state.own, fork_state.runs, 0);
  if (fork_state.kept.pid) // else the trace has not begun
    NoteUnkept();
  return failed;
}

/// The same, at a boundary that is now.
static const char *Look() {
  fork_state.runs.clear();
  fork_state.own.clear();
  fork_state.own.push_back(OwnLibrary());
  AddOwn();
  const u64 changes = SharedChanges();
  if (const char *missing = StartKeeper(fork_state.fresh))
    return missing;
  AddOwn();
  const char *failed = Compare();
  if (fork_state.kept.pid)
    fork_state.changes = changes;
  EndKeeper(fork_state.kept);
  fork_state.kept = fork_state.fresh;
  fork_state.fresh = {};
  return failed;
}

//===- The engine ---------------------------------------------------------===//

static void Stop() {
  EndKeeper(fork_state.kept);
  EndKeeper(fork_state.fresh);
}

static const char *Start() {
  // The first write to a huge page would count as a write to all of it.
  Syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
  fork_state.staged.Clear();
  fork_state.told.clear();
  fork_state.changes = 0;
  const char *missing = TryKeeper();
  if (!missing)
    missing = Look();
  if (missing)
    Stop();
  return missing;
}

static bool Collect(bool ends_period) {
  if (const char *failed = Look())
    BailOut("the kernel no longer tells which pages were written: %s", failed);
  return fork_state.staged.Stage(fork_state.runs, ends_period);
}

/// The keeper's pages do not change.
static void Recheck(PageVec<PageHash> &, bool (*)(u32 tid)) {}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  Collect(false);
  fork_state.staged.Peek(range, words);
}

static bool Take(GranuleRange range) {
  fork_state.staged.Hide(range);
  return true;
}

static int KeptMemory() { return fork_state.kept.memory; }

const Engine &ForkEngine() {
  static const Engine kEngine = {
      .start = Start,
      .stop = Stop,
      .collect = Collect,
      .recheck = Recheck,
      .peek = Peek,
      .take = Take,
      .kept_memory = KeptMemory,
  };
  return kEngine;
}

} // namespace pagetide

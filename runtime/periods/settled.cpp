//===- settled.cpp - Have threads made the accesses they marked? ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/settled.h"

#include "periods/shared_writes.h"
#include "platform/fork_reset.h"
#include "threads/blocked_call.h"
#include "threads/slots.h"
#include "threads/unregistered.h"

namespace pagetide {

using shadow_file::ChunkKind;

PAGETIDE_RECORDER_STATE static PageVec<WriterOfPeriod> writers;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> written;
PAGETIDE_RECORDER_STATE static PageVec<WriterOfPeriod> kept_writers;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> kept_written;

PageVec<WriterOfPeriod> &WritersSoFar() { return writers; }
PageVec<StagedWord> &WrittenSoFar() { return written; }

/// Threads without slots of their own, when the marks had been taken.
PAGETIDE_RECORDER_STATE static PageVec<ThreadCpu> unregistered;
PAGETIDE_RECORDER_STATE static PageVec<u32> unregistered_tids, former_tids;

void ForgetWriters() {
  writers.clear();
  written.clear();
  unregistered.clear();
  unregistered_tids.clear();
  ForgetSharedWrites();
}

void RecordUnregisteredThreads() {
  former_tids.swap(unregistered_tids);
  unregistered_tids.clear();
  unregistered.clear();
  ListUnregisteredThreads(unregistered_tids);
  for (u32 tid : unregistered_tids) {
    unregistered.push_back({tid, ThreadCpuNs(tid)});
    // A thread that is seen twice is not just in its first or last
    // instructions.
    for (u32 former : former_tids)
      if (former == tid)
        ExpectUnregisteredThreads();
  }
}

void SettleSlot(u32 slot) {
  for (WriterOfPeriod &w : writers)
    w.waits |= w.slot == slot && w.tid; // not if threads share the slot
}

/// True once the thread has settled since the writer entry was made.
static bool ThreadSettled(const WriterOfPeriod &writer) {
  const SlotEntry &entry = shadow.slots[writer.slot];
  if (writer.waits || LoadAcquire(&entry.state) != (u32)SlotState::kLive ||
      entry.generation != writer.generation)
    return true; // it waits for us, or has ended
  return HasSettledSince({writer.tid, writer.cpu_ns});
}

static bool UnregisteredSettled() {
  for (const ThreadCpu &thread : unregistered)
    if (!HasSettledSince(thread))
      return false;
  return true;
}

static bool AllSettled() {
  for (const WriterOfPeriod &w : writers)
    if (!ThreadSettled(w))
      return false;
  return SharedWritesSettled() && UnregisteredSettled();
}

/// What several threads wrote is kept apart from here on.
static void MoveSharedWrites() {
  uptr kept = 0;
  for (const WriterOfPeriod &w : writers)
    if (w.tid)
      writers[kept++] = w;
    else
      AddSharedWrites(w.slot, &written[w.first], w.count);
  writers.resize(kept);
}

bool CarryUnsettled(u64 wait_ns, PageVec<StagedWord> *unsettled) {
  constexpr u64 kStepNs = 50 * 1000;
  MoveSharedWrites();
  if (wait_ns)
    for (u64 deadline = MonotonicNs() + wait_ns;
         !AllSettled() && MonotonicNs() < deadline;)
      SleepNs(kStepNs);
  bool ok = true;
  kept_writers.clear();
  kept_written.clear();
  const bool unregistered_settled = UnregisteredSettled();
  for (const WriterOfPeriod &w : writers) {
    if (unregistered_settled && ThreadSettled(w))
      continue;
    StagingCursor cursor(shadow.header->per_thread ? w.tid : 0,
                         ChunkKind::kCarried);
    WriterOfPeriod kept = w;
    kept.first = kept_written.size();
    for (uptr i = w.first; i < w.first + w.count && ok; ++i) {
      ok = cursor.Add(written[i].word, written[i].value);
      kept_written.push_back(written[i]);
      if (unsettled)
        unsettled->push_back(written[i]);
    }
    kept_writers.push_back(kept);
  }
  ok = CarrySharedWrites(unregistered_settled, unsettled) && ok;
  writers.swap(kept_writers);
  written.swap(kept_written);
  return ok;
}

} // namespace pagetide

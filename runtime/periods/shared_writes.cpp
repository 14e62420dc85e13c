//===- shared_writes.cpp - What threads that share a slot wrote -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/shared_writes.h"

#include "periods/merge_ascending.h"
#include "platform/fork_reset.h"
#include "platform/raw_thread_ids.h"
#include "shadow/snapshot.h"
#include "threads/blocked_call.h"
#include "threads/sharing_threads.h"

namespace pagetide {

using shadow_file::ChunkKind;

namespace {
/// A thread that must settle.
struct Awaited {
  ThreadCpu before;
  u32 place; ///< kNoPlace: none
};

/// The writes of one slot.
struct SharedWrites {
  PageVec<StagedWord> waiting; ///< until `awaited` have settled
  PageVec<StagedWord> later;   ///< collected since `awaited` were listed
  PageVec<Awaited> awaited;
  uptr settled; ///< so many of these have settled
};
} // namespace

/// The first is of all slots that are no group's.
PAGETIDE_RECORDER_STATE static SharedWrites all_writes[1 + kMaxShared];

/// By place: a thread that was seen asleep, and its CPU time then. As long as
/// that does not change it has not run, and what it marked is settled. So of
/// threads that sleep the kernel is asked only that.
PAGETIDE_RECORDER_STATE static PageVec<ThreadCpu> asleep;

/// Tens of thousands of threads would keep the recorder busy with nothing but
/// looking at them. So that takes a fifth of the time at most: after each look
/// there is none for four times as long. A moment's looks are free. What waits
/// meanwhile is unsettled.
constexpr u64 kRestFor = 4, kFreeNs = 10 * kNsPerMs;
PAGETIDE_RECORDER_STATE static u64 looks_from;

static bool MayLook() { return MonotonicNs() >= looks_from; }

static void HaveLooked(u64 since) {
  const u64 now = MonotonicNs();
  if (looks_from + kFreeNs < now)
    looks_from = now - kFreeNs;
  looks_from += kRestFor * (now - since);
}

static SharedWrites &WritesOf(u32 slot) {
  const bool is_group = slot >= shadow.first_shared;
  return all_writes[is_group ? slot - shadow.first_shared + 1 : 0];
}

static u32 SlotOf(const SharedWrites &writes) {
  const u32 index = (u32)(&writes - all_writes);
  return index ? shadow.first_shared + index - 1 : shadow_file::kFallbackSlot;
}

void ForgetSharedWrites() {
  for (SharedWrites &writes : all_writes) {
    writes.waiting.clear();
    writes.later.clear();
    writes.awaited.clear();
    writes.settled = 0;
  }
  asleep.clear();
  looks_from = 0;
}

//===- Who is awaited -----------------------------------------------------===//

static void Await(SharedWrites &writes, u32 tid, u32 place) {
  const u64 now = ThreadCpuNs(tid);
  const bool sleeps_on = place < asleep.size() && asleep[place].tid == tid &&
                         asleep[place].ns == now && now != kUnknownNs;
  if (now && !sleeps_on)
    writes.awaited.push_back({{tid, now}, place});
}

static void ListAwaited(SharedWrites &writes) {
  const u32 slot = SlotOf(writes);
  ForEachSharing(slot, [&](u32 place, const SharingThread &thread) {
    if (const u32 tid = LoadAcquire(&thread.tid))
      Await(writes, tid, place);
  });
  if (slot != shadow_file::kFallbackSlot)
    return;
  PAGETIDE_RECORDER_STATE static PageVec<u32> all;
  ListThreads(all);
  for (const u32 tid : all)
    if (!IsRawThread(tid))
      Await(writes, tid, kNoPlace);
}

static void NoteAsleep(const Awaited &thread, u64 ns) {
  if (!ns || thread.place == kNoPlace)
    return;
  while (asleep.size() <= thread.place)
    asleep.push_back({0, 0});
  asleep[thread.place] = {thread.before.tid, ns};
}

/// What was collected so far begins to wait.
static void BeginToWait(SharedWrites &writes) {
  if (writes.later.empty() || !MayLook())
    return;
  const u64 begin = MonotonicNs();
  writes.waiting.swap(writes.later);
  writes.awaited.clear();
  writes.settled = 0;
  ListAwaited(writes);
  HaveLooked(begin);
}

/// Looks at the threads in turn, until one has not settled or it has taken
/// long: a look at a thread that sleeps takes up to 10 us.
static bool HaveSettled(SharedWrites &writes) {
  if (writes.settled == writes.awaited.size())
    return true;
  if (!MayLook())
    return false;
  constexpr u64 kMaxNs = kNsPerMs;
  const u64 begin = MonotonicNs();
  bool settled = true;
  while (settled && writes.settled < writes.awaited.size()) {
    const Awaited &thread = writes.awaited[writes.settled];
    u64 asleep_at = 0;
    settled = MonotonicNs() - begin < kMaxNs &&
              HasSettledSince(thread.before, &asleep_at);
    NoteAsleep(thread, asleep_at);
    writes.settled += settled;
  }
  HaveLooked(begin);
  return settled;
}

//===- Words --------------------------------------------------------------===//

static void Append(PageVec<StagedWord> &words, uptr first,
                   const StagedWord &word) {
  AddOrJoin(words, first, word.word, word.value);
}

/// Has each word once, in ascending order.
static void Unite(PageVec<StagedWord> &words) {
  PAGETIDE_RECORDER_STATE static MergeSpace<PageVec<StagedWord>> space;
  MergeAscending(
      words, space,
      [](const StagedWord &a, const StagedWord &b) { return a.word < b.word; },
      Append);
}

void AddSharedWrites(u32 slot, const StagedWord *words, uptr count) {
  SharedWrites &writes = WritesOf(slot);
  for (uptr i = 0; i < count; ++i)
    Append(writes.later, 0, words[i]);
  Unite(writes.later);
  if (writes.waiting.empty())
    BeginToWait(writes);
}

static bool Settle(SharedWrites &writes) {
  for (;;) {
    if (writes.waiting.empty())
      BeginToWait(writes);
    if (writes.waiting.empty())
      return writes.later.empty();
    if (!HaveSettled(writes))
      return false;
    writes.waiting.clear();
  }
}

bool SharedWritesSettled() {
  for (SharedWrites &writes : all_writes)
    if (!Settle(writes))
      return false;
  return true;
}

bool CarrySharedWrites(bool others_settled, PageVec<StagedWord> *unsettled) {
  bool ok = true;
  StagingCursor cursor(0, ChunkKind::kCarried);
  const auto carry = [&](const PageVec<StagedWord> &words) {
    for (const StagedWord &word : words) {
      ok = ok && cursor.Add(word.word, word.value);
      if (unsettled)
        unsettled->push_back(word);
    }
  };
  for (SharedWrites &writes : all_writes) {
    if (others_settled && Settle(writes))
      continue;
    carry(writes.waiting);
    carry(writes.later);
  }
  return ok;
}

} // namespace pagetide

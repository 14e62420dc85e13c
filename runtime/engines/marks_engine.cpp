//===- marks_engine.cpp - Page sets from the shadow -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/marks_engine.h"

#include "engines/audit_writes.h"
#include "engines/covered_threads.h"
#include "periods/early_marks.h"
#include "periods/settled.h"
#include "platform/fork_reset.h"
#include "platform/page_vec.h"
#include "shadow/idle_shadow.h"
#include "shadow/mark_checks.h"
#include "shadow/snapshot.h"
#include "threads/service_thread.h"
#include "threads/slots.h"
#include "trace/pending_frames.h"

namespace pagetide {

using shadow_file::ChunkKind;
using shadow_file::kFallbackSlot;
using shadow_file::kInFlightKinds;

/// Marks of the open period that are staged already.
PAGETIDE_RECORDER_STATE static EarlyMarks early;
PAGETIDE_RECORDER_STATE static EarlyMarks early_sites;
/// Marks that the last peek found in slots' shadows, for Take.
struct PeekedWord {
  u32 slot;
  StagedWord word;
};
PAGETIDE_RECORDER_STATE static PageVec<PeekedWord> peeked;

/// Free slots count too. An unregistered thread (made by a raw clone or by an
/// uninstrumented library) uses its creator's slot and may outlive its creator.
static bool HasShadow(u32 slot) { return shadow.slot_base[slot]; }

/// The thread that a slot belongs to; 0 if it is shared or free.
static u32 TidOf(u32 slot) {
  const SlotEntry &entry = shadow.slots[slot];
  return slot == kFallbackSlot ||
                 LoadAcquire(&entry.state) == (u32)SlotState::kFree
             ? 0
             : entry.tid;
}

static void AddWriter(u32 slot, u32 tid, u64 generation, uptr first) {
  PageVec<WriterOfPeriod> &writers = WritersSoFar();
  const uptr count = WrittenSoFar().size() - first;
  if (count)
    writers.push_back({slot, tid, generation, tid ? ThreadCpuNs(tid) : 0, first,
                       count, false});
}

static void ListRetired(PageVec<u32> &retired) {
  retired.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (LoadAcquire(&shadow.slots[slot].state) == (u32)SlotState::kRetired)
      retired.push_back(slot);
}

/// The thread under which a slot's words are staged.
static u32 StagingTid(u32 slot) {
  return shadow.header->per_thread ? TidOf(slot) : 0;
}

/// Puts the end of a slot's thread into the trace. Call it before the slot is
/// freed.
static void EndThread(u32 slot) {
  ObserveThreadEnd(slot);
  RememberThreadArea(slot);
}

static const char *Start() {
  TakingMarks taking;
  // Threads that end during this call keep their slots until the first
  // boundary.
  PAGETIDE_RECORDER_STATE static PageVec<u32> retired;
  ListRetired(retired);
  ForgetExtents();
  const PageVec<ShadowExtent> &extents = PopulatedExtents(RecorderMemfd());
  PageVec<StagedWord> &written = WrittenSoFar();
  for (uptr e = 0; e < extents.size();) {
    const u32 slot = extents[e].slot;
    const u32 tid = TidOf(slot);
    const u64 generation = shadow.slots[slot].generation;
    const uptr first = written.size();
    // Earlier writes belong to no period. But a thread that has marked may not
    // have written yet.
    for (; e < extents.size() && extents[e].slot == slot; ++e)
      if (HasShadow(slot))
        DropMarks(slot, extents[e].begin, extents[e].end, WriteCellMask(),
                  written);
    AddWriter(slot, tid, generation, first);
  }
  RecordUnregisteredThreads();
  early.Clear();
  early_sites.Clear();
  for (u32 slot : retired)
    FreeSlot(slot);
  return nullptr;
}

/// Copies the write marks of `count` words, which were staged from `at` on.
static void CopyWritten(StagedPosition at, u64 count,
                        PageVec<StagedWord> &out) {
  const u64 mask = WriteCellMask();
  uptr size = out.size();
  out.resize(size + count);
  for (; at.chunk != shadow.header->chunk_head; at = {at.chunk + 1, 0}) {
    const StagingChunk &chunk = ChunkAt(at.chunk);
    if (chunk.kind != (u32)ChunkKind::kMarks)
      continue;
    for (u32 i = at.index; i < chunk.count; ++i) {
      const StagedWord &word = chunk.words[i];
      out[size] = {word.word, word.value & mask};
      size += (word.value & mask) != 0;
    }
  }
  out.resize(size);
}

/// Takes the marks of all extents of one slot. `extent` is the first of them,
/// and is set to the one after the last. `mask` is as for TakeMarks.
template <typename Stage, typename StageSites>
static bool TakeSlot(const PageVec<ShadowExtent> &extents, uptr &extent,
                     u64 mask, Stage stage, StageSites stage_sites) {
  u32 slot = extents[extent].slot;
  for (; extent < extents.size() && extents[extent].slot == slot; ++extent)
    if (!TakeMarks(
            slot, extents[extent].begin, extents[extent].end, stage,
            [slot](u64 page) { FoundMarks(slot, page); }, stage_sites, mask))
      return false;
  return true;
}

/// `standing`: threads may be stopped, and hold the lock of free slots. Only
/// what was written counts.
static bool CollectMarks(bool ends_period, bool standing) {
  TakingMarks taking;
  PageVec<StagedWord> &written = WrittenSoFar();
  // Threads may end while we take: what was retired now is empty afterwards.
  PAGETIDE_RECORDER_STATE static PageVec<u32> retired;
  retired.clear();
  if (!standing)
    ListRetired(retired);
  const PageVec<ShadowExtent> *unprotected = BeginCollection();
  const PageVec<ShadowExtent> &populated =
      PopulatedExtents(RecorderMemfd(), unprotected);
  const PageVec<ShadowExtent> &extents = ExtentsToTake(populated);
  bool ok = true;
  for (uptr e = 0; e < extents.size() && ok;) {
    u32 slot = extents[e].slot;
    if (!HasShadow(slot)) {
      ++e;
      continue;
    }
    // Slots of ended threads too: unregistered threads may use them.
    const u32 tid = TidOf(slot);
    const u64 generation = shadow.slots[slot].generation;
    const uptr first = written.size();
    if (ends_period) {
      StagingCursor cursor(StagingTid(slot), ChunkKind::kMarks);
      StagingCursor sites(tid, ChunkKind::kSites);
      ok = TakeSlot(
          extents, e, ~u64{0},
          [&](u64 word, u64 value) {
            value = WithoutCovered(slot, word, value);
            return !value || cursor.AddOrJoin(word, value) != nullptr;
          },
          [&](u64 word, u64 value) {
            return sites.Add(word, value) != nullptr;
          });
      if (cursor.Words())
        CopyWritten(cursor.First(), cursor.Words(), written);
    } else {
      const u64 mask = WriteCellMask();
      // Read marks can wait for the period's end.
      const u64 taken = standing && !shadow.with_sites ? mask : ~u64{0};
      ok = TakeSlot(
          extents, e, taken,
          [&](u64 word, u64 value) {
            value = WithoutCovered(slot, word, value);
            if (value & mask)
              AddOrJoin(written, first, word, value & mask);
            return !value ||
                   early.Add(StagingTid(slot), word, value, true) != nullptr;
          },
          [&](u64 word, u64 value) {
            return early_sites.AddSites(tid, word, value) != nullptr;
          });
    }
    AddWriter(slot, tid, generation, first);
  }
  RecordUnregisteredThreads();
  if (ok) { // otherwise an unfinished slot keeps its marks for the next try
    for (u32 slot : retired) {
      EndThread(slot);
      FreeSlot(slot);
    }
    if (!standing) // which leaves marks
      TookAll(populated, ends_period);
  }
  if (ends_period) {
    early.Clear();
    early_sites.Clear();
  }
  return ok;
}

static bool Collect(bool ends_period) {
  return CollectMarks(ends_period, false);
}

static bool CollectStanding() { return CollectMarks(false, true); }

static void Watch() { WatchShadow(PopulatedExtents(RecorderMemfd())); }

//===- Recheck ------------------------------------------------------------===//

/// Appends a thread's calls under way. False if one may write anywhere.
static bool ListCallsOf(u32 tid,
                        const InFlightRange (&inflight)[kInFlightKinds],
                        PageVec<CallInFlight> &calls) {
  for (const InFlightRange &range : inflight) {
    u64 address, bytes;
    do { // until both are from the same moment
      bytes = LoadAcquire(&range.bytes);
      address = LoadAcquire(&range.address);
    } while (bytes != LoadAcquire(&range.bytes));
    constexpr u64 kAnywhere = u64{1} << abi::kAddressBits;
    if (bytes >= kAnywhere)
      return false;
    if (bytes)
      calls.push_back(
          {{UnitOf(address), UnitOf(address + bytes - 1) + 1}, tid});
  }
  return true;
}

static bool ListInFlight(PageVec<CallInFlight> &calls) {
  if (LoadAcquire(&shadow.header->fallback_calls_in_flight))
    return false; // nobody knows which pages these write
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (HasShadow(slot) &&
        !ListCallsOf(TidOf(slot), shadow.slots[slot].inflight, calls))
      return false;
  for (u32 place = 0; place < SharingPlaces(); ++place) {
    const SharingThread &thread = SharingThreadAt(place);
    const u32 tid = LoadAcquire(&thread.tid);
    if (tid && !ListCallsOf(tid, thread.inflight, calls))
      return false;
  }
  return true;
}

/// The unit whose cells a byte of a shadow is among.
static u64 UnitAt(u64 offset) { return offset / UnitCellBytes(); }

/// The bytes of a word that mean writes, in a shadow as it is.
static u64 WrittenInShadow() {
  if (!shadow.with_sites)
    return WriteCellMask();
  return shadow.cells_per_index == 2 ? ~u64{0} << 32 : ~u64{0};
}

/// Reads no shadow outside the extent: reading would allocate memory for it.
static bool IsMarkedAsWritten(const ShadowExtent &e, u64 unit) {
  const uptr base = shadow.slot_base[e.slot];
  if (!shadow.cells_per_unit_shift)
    return shadow.with_sites
               ? LoadAcquire((u32 *)(base + WriteCellOffset(unit)))
               : LoadAcquire((u8 *)base + WriteCellOffset(unit));
  auto word_at = [&](u64 offset) {
    return LoadAcquire((u64 *)(base + offset)) & WrittenInShadow();
  };
  const u64 bytes = UnitCellBytes();
  const u64 begin = unit * bytes;
  if (bytes < 8) // one of several in a word
    return word_at(begin & ~u64{7}) >> begin % 8 * 8 &
           ((u64{1} << bytes * 8) - 1);
  constexpr u64 kNearInLastCell = u64{abi::kCellNear} << 56;
  if (shadow.cells_per_granule_shift && begin > e.begin &&
      (word_at(begin - 8) & kNearInLastCell))
    return true;
  const u64 end = begin + bytes < e.end ? begin + bytes : e.end;
  for (u64 at = begin > e.begin ? begin : e.begin; at < end; at += 8)
    if (word_at(at))
      return true;
  return false;
}

static void Recheck(PageVec<PageHash> &pages, bool (*is_asleep)(u32 tid)) {
  // System calls first, the shadow second: a call marks before it leaves the
  // list of calls in flight.
  PAGETIDE_RECORDER_STATE static PageVec<CallInFlight> calls;
  calls.clear();
  if (!ListInFlight(calls))
    for (PageHash &page : pages)
      MakeUnstable(page);
  for (const CallInFlight &call : calls)
    if (!is_asleep || !is_asleep(call.tid))
      for (uptr i = FirstPageAt(pages, call.granules.begin);
           i < pages.size() && pages[i].granule < call.granules.end; ++i)
        MakeUnstable(pages[i]);
  u32 slot = shadow_file::kMaxSlots;
  uptr first = 0; // of the pages that the next extent of the slot may have
  for (const ShadowExtent &e : PopulatedExtents(RecorderMemfd())) {
    if (!HasShadow(e.slot))
      continue;
    if (e.slot != slot)
      first = 0;
    slot = e.slot;
    while (first < pages.size() && pages[first].granule < UnitAt(e.begin))
      ++first;
    // The extent may begin and end within a unit. A near mark in its last cell
    // may mean the unit after it.
    const u64 end =
        UnitAt(e.end - 1) + (shadow.cells_per_granule_shift ? 2 : 1);
    for (uptr i = first; i < pages.size() && pages[i].granule < end; ++i)
      if (IsMarkedAsWritten(e, pages[i].granule))
        MakeUnstable(pages[i]);
  }
}

//===- Peek and take ------------------------------------------------------===//

/// The cells of a word of the shadow that concern the range of units.
static u64 CellsInRange(u64 word, u64 value, GranuleRange range) {
  const u32 shift = shadow.cells_per_unit_shift;
  const GranuleRange granules = {range.begin << shift, range.end << shift};
  if (shadow.with_sites) {
    const abi::PlainWord plain = abi::plain_word(word, value);
    const u64 inside = plain.value & MaskInRange(plain.word, granules);
    const u64 cells = inside >> 16 * (word % 4);
    return (cells & 0xff ? value & 0xffffffff : 0) |
           (cells & 0xff00 ? value >> 32 << 32 : 0);
  }
  if (!shadow.cells_per_granule_shift)
    return value & MaskInRange(word, granules);
  const abi::GranuleMarks marks =
      abi::granule_marks(shadow.layout, shift, word, value);
  if (marks.granule >= range.begin && marks.granule < range.end)
    return value;
  constexpr u64 kNear = 0x0101010101010101 * abi::kCellNear;
  const u64 last_cells = ~u64{0} << (64 - 8 * shadow.cells_per_index);
  return marks.next && marks.granule + 1 == range.begin
             ? value & kNear & last_cells
             : 0;
}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  peeked.clear();
  u64 first = range.begin * UnitCellBytes() / 8;
  u64 last = (range.end * UnitCellBytes() + 7) / 8;
  if (shadow.cells_per_granule_shift && first)
    --first; // near marks of the unit before
  const uptr first_found = words.size();
  for (const ShadowExtent &e : PopulatedExtents(RecorderMemfd())) {
    if (!HasShadow(e.slot))
      continue;
    const u64 *base = (const u64 *)shadow.slot_base[e.slot];
    u64 begin = e.begin / 8 > first ? e.begin / 8 : first;
    u64 end = e.end / 8 < last ? e.end / 8 : last;
    for (u64 w = begin; w < end; ++w) {
      u64 value = __atomic_load_n(&base[w], __ATOMIC_ACQUIRE);
      if (!value || !(value = CellsInRange(w, value, range)))
        continue;
      peeked.push_back({e.slot, {w, value}});
      ForEachStagedWord(w, value, [&](u64 word, u64 marks) {
        if (marks &= MaskInRange(word, range))
          AddOrJoin(words, first_found, word, marks);
        return true;
      });
    }
  }
  for (const EarlyMarks::Entry &entry : early.Entries())
    if (entry.record)
      if (u64 value = entry.visible & MaskInRange(entry.record->word, range))
        words.push_back({entry.record->word, value});
}

/// A cell that got another site since the peek keeps it.
static void ClearPeekedSites(u64 *word, u64 value) {
  for (u32 i = 0; i < 2; ++i) {
    u32 site = (u32)(value >> 32 * i);
    if (site)
      __atomic_compare_exchange_n((u32 *)word + i, &site, 0, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
}

static bool Take(GranuleRange range) {
  TakingMarks taking;
  PageVec<StagedWord> &written = WrittenSoFar();
  const u64 mask = WriteCellMask();
  for (uptr i = 0; i < peeked.size();) {
    const u32 slot = peeked[i].slot;
    const u32 tid = TidOf(slot);
    const u64 generation = shadow.slots[slot].generation;
    const uptr first = written.size();
    for (; i < peeked.size() && peeked[i].slot == slot; ++i) {
      const StagedWord &w = peeked[i].word;
      const bool ok =
          ForEachStagedWord(w.word, w.value, [&](u64 staged, u64 marks) {
            // Later peeks still see what a near mark says of granules outside.
            const u64 inside = marks & MaskInRange(staged, range);
            if ((inside &&
                 !early.Add(StagingTid(slot), staged, inside, false)) ||
                (marks & ~inside &&
                 !early.Add(StagingTid(slot), staged, marks & ~inside, true)))
              return false;
            if (marks & mask)
              AddOrJoin(written, first, staged, marks & mask);
            return true;
          });
      if (!ok ||
          (shadow.with_sites && !early_sites.AddSites(tid, w.word, w.value)))
        return false;
      u64 *word = (u64 *)shadow.slot_base[slot] + w.word;
      if (shadow.with_sites)
        ClearPeekedSites(word, w.value);
      else
        __atomic_fetch_and(word, ~w.value, __ATOMIC_ACQ_REL);
    }
    AddWriter(slot, tid, generation, first);
  }
  RecordUnregisteredThreads();
  for (EarlyMarks::Entry &entry : early.Entries())
    if (entry.record)
      entry.visible &= ~MaskInRange(entry.record->word, range);
  return true;
}

const Engine &MarksEngine() {
  static const Engine kEngine = {
      Start, ForgetIdleShadow, Collect, Recheck,     Peek,
      Take,  CollectStanding,  Watch,   ListInFlight};
  return kEngine;
}

//===- Slots emptied within a period --------------------------------------===//

void EmptyRetiredSlots(bool keep_marks) {
  TakingMarks taking;
  // List the threads before the extents are read. A thread that ends in between
  // may have marked outside of these extents.
  PAGETIDE_RECORDER_STATE static PageVec<u32> retired;
  ListRetired(retired);
  const PageVec<ShadowExtent> &extents = PopulatedExtents(RecorderMemfd());
  PageVec<StagedWord> &written = WrittenSoFar();
  const u64 mask = WriteCellMask();
  for (u32 slot : retired) {
    bool ok = true;
    const u32 tid = TidOf(slot);
    const u64 generation = shadow.slots[slot].generation;
    const uptr first = written.size();
    for (const ShadowExtent &e : extents) {
      if (e.slot != slot)
        continue;
      if (keep_marks)
        ok &= TakeMarks(
            slot, e.begin, e.end,
            [&](u64 word, u64 value) {
              value = WithoutCovered(slot, word, value);
              if (value & mask)
                AddOrJoin(written, first, word, value & mask);
              return !value ||
                     early.Add(StagingTid(slot), word, value, true) != nullptr;
            },
            [](u64) {},
            [&](u64 word, u64 value) {
              return early_sites.AddSites(tid, word, value) != nullptr;
            });
      else
        DropMarks(slot, e.begin, e.end);
    }
    AddWriter(slot, tid, generation, first);
    if (!ok)
      continue;
    EndThread(slot);
    FreeSlot(slot);
  }
}

} // namespace pagetide

//===- shadow_engine.cpp - Page sets from the shadow
//------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engine.h"
#include "recorder.h"
#include "recorder_state.h"
#include "snapshot.h"
#include "threads.h"

namespace pagetide {

using shadow_file::ChunkKind;
using shadow_file::kMaxSlots;
using shadow_file::kOrphanSlot;

/// Marks of the open period that are staged already (of threads that ended, of
/// slots emptied early), for peeks.
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> staged_early;
/// What the last peek found in slots' shadows, for take.
struct PeekedWord {
  u32 slot;
  StagedWord word;
};
PAGETIDE_RECORDER_STATE static PageVec<PeekedWord> peeked;

static bool InUse(u32 slot) {
  return LoadAcquire(&shadow.slots[slot].state) != (u32)SlotState::kFree &&
         shadow.slot_base[slot];
}

static int Start() {
  ForgetExtents();
  for (const Extent &e : PopulatedExtents(RecorderMemfd()))
    if (shadow.slot_base[e.slot])
      DropMarks(e.slot, e.begin, e.end);
  staged_early.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (slot != kOrphanSlot &&
        LoadAcquire(&shadow.slots[slot].state) == (u32)SlotState::kRetired)
      FreeSlot(slot);
  return 0;
}

/// Takes the marks of all extents of one slot; `extent` is the first of them
/// and is moved behind the last.
static bool TakeSlot(const PageVec<Extent> &extents, uptr &extent,
                     StagingCursor &cursor) {
  u32 slot = extents[extent].slot;
  for (; extent < extents.size() && extents[extent].slot == slot; ++extent)
    if (!TakeMarks(slot, extents[extent].begin, extents[extent].end, cursor))
      return false;
  return true;
}

/// Copies the words staged since chunk number `chunk` that have a bit of
/// `mask`, with these bits.
static void CopyStaged(u64 chunk, u64 mask, PageVec<StagedWord> &out) {
  for (; chunk != shadow.header->chunk_head; ++chunk) {
    const StagingChunk &c = ChunkAt(chunk);
    for (u32 i = 0; i < c.count; ++i)
      if (c.words[i].value & mask)
        out.push_back({c.words[i].word, c.words[i].value & mask});
  }
}

static bool Collect(bool ends_period, PageVec<WriterOfPeriod> &writers,
                    PageVec<StagedWord> &written) {
  // Threads may end while we take: what was retired now is empty afterwards.
  PAGETIDE_RECORDER_STATE static PageVec<u32> retired;
  retired.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (LoadAcquire(&shadow.slots[slot].state) == (u32)SlotState::kRetired)
      retired.push_back(slot);
  const PageVec<Extent> &extents = PopulatedExtents(RecorderMemfd());
  const u64 first_of_all = shadow.header->chunk_head;
  bool ok = true;
  for (uptr e = 0; e < extents.size() && ok;) {
    u32 slot = extents[e].slot;
    if (!InUse(slot)) {
      ++e;
      continue;
    }
    const SlotEntry &entry = shadow.slots[slot];
    bool live = entry.state == (u32)SlotState::kLive;
    u32 tid = slot == kOrphanSlot ? 0 : entry.tid;
    u64 generation = entry.generation;
    u64 first_chunk = shadow.header->chunk_head;
    StagingCursor cursor(tid, ChunkKind::kMarks);
    ok = TakeSlot(extents, e, cursor);
    if (!live || !cursor.words())
      continue;
    uptr first = written.size();
    // A new cursor begins a new chunk: all chunks since are this slot's.
    CopyStaged(first_chunk, WriteCellMask(), written);
    if (written.size() != first)
      writers.push_back({slot, tid, generation, tid ? ThreadCpuNs(tid) : 0,
                         first, written.size() - first});
  }
  if (ok) // an unfinished slot keeps its marks for the next try
    for (u32 slot : retired) {
      ObserveThreadEnd(slot);
      FreeSlot(slot);
    }
  if (ends_period)
    staged_early.clear();
  else
    CopyStaged(first_of_all, ~u64{0}, staged_early);
  return ok;
}

//===- Recheck
//-------------------------------------------------------------===//

/// Index of the first page at or after a granule.
static uptr FirstPageAt(const PageVec<PageHash> &pages, u64 granule) {
  uptr first = 0, last = pages.size();
  while (first < last) {
    uptr middle = first + (last - first) / 2;
    if (pages[middle].granule < granule)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

static void MakeUnstable(PageHash &page) {
  if (page.state != ChecksumState::kStable)
    return;
  page.state = ChecksumState::kUnstable;
  page.hash = 0;
}

static void Recheck(PageVec<PageHash> &pages) {
  for (const Extent &e : PopulatedExtents(RecorderMemfd())) {
    if (!InUse(e.slot))
      continue;
    const u8 *base = (const u8 *)shadow.slot_base[e.slot];
    u64 end = e.end / shadow.cells;
    for (uptr i = FirstPageAt(pages, e.begin / shadow.cells);
         i < pages.size() && pages[i].granule < end; ++i)
      if (__atomic_load_n(base + WriteCellOffset(pages[i].granule),
                          __ATOMIC_ACQUIRE))
        MakeUnstable(pages[i]);
  }
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    u64 bytes = LoadAcquire(&entry.inflight_bytes);
    if (!bytes || !InUse(slot))
      continue;
    u64 last = CellIndex(entry.inflight_address + bytes - 1);
    for (uptr i = FirstPageAt(pages, CellIndex(entry.inflight_address));
         i < pages.size() && pages[i].granule <= last; ++i)
      MakeUnstable(pages[i]);
  }
}

//===- Peek and take
//-------------------------------------------------------===//

/// The bits of a word whose granules lie in the range.
static u64 MaskInRange(u64 word, GranuleRange range) {
  const u64 per_word = 8 / shadow.cells;
  const u64 bits = 8 * shadow.cells;
  const u64 granule_mask = bits == 8 ? 0xff : 0xffff;
  u64 mask = 0;
  for (u64 i = 0; i < per_word; ++i) {
    u64 granule = word * per_word + i;
    if (granule >= range.begin && granule < range.end)
      mask |= granule_mask << (i * bits);
  }
  return mask;
}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  peeked.clear();
  u64 first = range.begin * shadow.cells / 8;
  u64 last = (range.end * shadow.cells + 7) / 8;
  for (const Extent &e : PopulatedExtents(RecorderMemfd())) {
    if (!InUse(e.slot))
      continue;
    const u64 *base = (const u64 *)shadow.slot_base[e.slot];
    u64 begin = e.begin / 8 > first ? e.begin / 8 : first;
    u64 end = e.end / 8 < last ? e.end / 8 : last;
    for (u64 w = begin; w < end; ++w) {
      u64 value = __atomic_load_n(&base[w], __ATOMIC_ACQUIRE);
      if (!value || !(value &= MaskInRange(w, range)))
        continue;
      words.push_back({w, value});
      peeked.push_back({e.slot, {w, value}});
    }
  }
  for (const StagedWord &w : staged_early)
    if (u64 value = w.value & MaskInRange(w.word, range))
      words.push_back({w.word, value});
}

static bool Take(GranuleRange range) {
  for (uptr i = 0; i < peeked.size();) {
    u32 slot = peeked[i].slot;
    StagingCursor cursor(slot == kOrphanSlot ? 0 : shadow.slots[slot].tid,
                         ChunkKind::kMarks);
    for (; i < peeked.size() && peeked[i].slot == slot; ++i) {
      const StagedWord &w = peeked[i].word;
      if (!cursor.Add(w.word, w.value))
        return false;
      u64 *word = (u64 *)shadow.slot_base[slot] + w.word;
      __atomic_fetch_and(word, ~w.value, __ATOMIC_ACQ_REL);
    }
  }
  for (StagedWord &w : staged_early)
    w.value &= ~MaskInRange(w.word, range);
  return true;
}

const Engine &ShadowEngine() {
  static const Engine engine = {"shadow", Start, Collect, Recheck, Peek, Take};
  return engine;
}

//===- Slots emptied within a period
//---------------------------------------===//

void EmptyRetiredSlots(bool keep_marks) {
  const PageVec<Extent> &extents = PopulatedExtents(RecorderMemfd());
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    if (LoadAcquire(&shadow.slots[slot].state) != (u32)SlotState::kRetired)
      continue;
    u64 first_chunk = shadow.header->chunk_head;
    StagingCursor cursor(shadow.slots[slot].tid, ChunkKind::kMarks);
    bool ok = true;
    for (const Extent &e : extents) {
      if (e.slot != slot)
        continue;
      if (keep_marks)
        ok &= TakeMarks(slot, e.begin, e.end, cursor);
      else
        DropMarks(slot, e.begin, e.end);
    }
    if (!ok)
      continue;
    if (keep_marks)
      CopyStaged(first_chunk, ~u64{0}, staged_early);
    ObserveThreadEnd(slot);
    FreeSlot(slot);
  }
}

} // namespace pagetide

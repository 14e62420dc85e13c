//===- uffd_engine.cpp - Page sets by the kernel's account of writes ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs without instrumented code: there are no marks, no shadow of any
// thread, and interceptors pass through. What the kernel lists as written
// (write_tracking.h) is staged as if marks had been taken from a shadow of
// layout `write`, so that everything behind the engine is the same.
//
// A period's set is taken at one moment for each page: a page is listed and
// protected in one step. So nobody is unsettled, and nothing is carried.
//
//===----------------------------------------------------------------------===//

#include "engines/uffd_engine.h"

#include "engines/write_tracking.h"
#include "periods/early_marks.h"
#include "periods/staging.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/options.h"
#include "platform/page_vec.h"
#include "trace/pending_frames.h"

#include "sanitizer_common/sanitizer_libc.h"

namespace pagetide {

using shadow_file::ChunkKind;

static_assert(abi::kDefaultGranuleShift == 12, "of the kernel's pages");
constexpr u64 kPagesPerWord = 8;
constexpr uptr kEndOfMemory = uptr{1} << abi::kAddressBits;

namespace {
struct UffdState {
  MappingList mappings;
  u64 mappings_time;
  PageVec<WrittenRun> runs;
  PageVec<UntrackedRange> untracked, told;
  EarlyMarks early;           ///< of the open period, staged already
  PageVec<StagedWord> peeked; ///< what the last peek found
};
} // namespace

PAGETIDE_RECORDER_STATE static UffdState state;

//===- Runs of pages and words of cells -----------------------------------===//

/// Calls add(word, value) for the words of a shadow of layout `write` in which
/// the runs' pages are marked; neighbouring runs may give one word twice. False
/// where add does so.
template <typename Add>
static bool ForEachWord(const PageVec<WrittenRun> &runs, Add add) {
  for (const WrittenRun &run : runs) {
    const u64 cell =
        run.flags & trace::kKernelWritten ? abi::kCellMarked : abi::kCellMay;
    for (u64 page = run.first, end = run.first + run.count; page < end;) {
      const u64 word = page / kPagesPerWord;
      u64 value = 0;
      for (; page < end && page / kPagesPerWord == word; ++page)
        value |= cell << (8 * (page % kPagesPerWord));
      if (!add(word, value))
        return false;
    }
  }
  return true;
}

//===- Mappings -----------------------------------------------------------===//

/// Memory that cannot be tracked is told of once. (A mapping that vanishes while
/// it is looked at cannot be either.)
static void SayUntracked() {
  for (const UntrackedRange &u : state.untracked) {
    bool is_there = false, known = false;
    for (const Mapping &m : state.mappings.entries)
      is_there |= m.start <= u.begin && u.end <= m.start + m.bytes;
    for (const UntrackedRange &t : state.told)
      known |= t.begin == u.begin && t.end == u.end;
    if (known || !is_there)
      continue;
    state.told.push_back(u);
    Reason text;
    __sanitizer::internal_snprintf(
        text.text, sizeof(text.text),
        "writes to 0x%zx-0x%zx are not seen by engine uffd: %s", u.begin, u.end,
        u.why);
    NoteLost(text.text);
  }
}

/// False where the mappings cannot be read (which the recorder tells of).
static bool Track(bool take, bool say = true) {
  ForgetNewMapping();
  if (ReadMappings(state.mappings, ScratchRange))
    return false;
  state.mappings_time = MonotonicNs();
  state.untracked.clear();
  TrackMappings(state.mappings, take, state.runs, state.untracked);
  // Is it still there?
  if (say && !state.untracked.empty() &&
      !ReadMappings(state.mappings, ScratchRange))
    SayUntracked();
  return true;
}

/// Whether there are mappings that are not tracked. New private memory is found
/// by its pages; shared memory by the program's call, else by the next look in
/// due time.
static bool MustLookAtMappings() {
  return HasNewMapping() ||
         MonotonicNs() - state.mappings_time >= GetFlags().mappings ||
         FoundNewMemory();
}

/// Takes what was written into state.runs.
static int TakeAll() {
  state.runs.clear();
  if (MustLookAtMappings() && Track(true))
    return 0;
  return TakeWritten(0, kEndOfMemory, state.runs);
}

//===- The engine ---------------------------------------------------------===//

static const char *Start() {
  if (const char *missing = StartWriteTracking(true))
    return missing;
  state.early.Clear();
  state.told.clear();
  state.runs.clear();
  const bool tracked = Track(true, false);
  state.runs.clear(); // written before recording began
  if (tracked)
    return nullptr;
  StopWriteTracking();
  return "the list of mappings, /proc/thread-self/maps";
}

static bool Collect(bool ends_period) {
  if (int error = TakeAll())
    BailOut("the kernel does not tell any more which pages were written: %s",
            DescribeErrno(error));
  bool ok;
  if (ends_period) {
    StagingCursor cursor(0, ChunkKind::kMarks);
    ok = ForEachWord(state.runs, [&](u64 word, u64 value) {
      return cursor.Add(word, value) != nullptr;
    });
    state.early.Clear();
  } else {
    ok = ForEachWord(state.runs, [&](u64 word, u64 value) {
      return state.early.Add(0, word, value, true) != nullptr;
    });
  }
  return ok;
}

static void Recheck(PageVec<PageHash> &pages) {
  if (pages.empty())
    return;
  state.runs.clear();
  const uptr begin = pages[0].granule << abi::kDefaultGranuleShift;
  const uptr end = (pages.back().granule + 1) << abi::kDefaultGranuleShift;
  const bool unknown = LookAtWritten(begin, end, state.runs) != 0;
  if (unknown)
    state.runs.push_back({begin >> abi::kDefaultGranuleShift,
                          (end - begin) >> abi::kDefaultGranuleShift,
                          trace::kKernelWritten});
  for (const WrittenRun &run : state.runs)
    for (uptr i = FirstPageAt(pages, run.first);
         i < pages.size() && pages[i].granule < run.first + run.count; ++i)
      MakeUnstable(pages[i]);
}

static void Peek(GranuleRange range, PageVec<StagedWord> &words) {
  state.peeked.clear();
  state.runs.clear();
  // What may have been written in shared memory just found is told once: it
  // joins what is staged.
  Track(false);
  ForEachWord(state.runs, [&](u64 word, u64 value) {
    return state.early.Add(0, word, value, true) != nullptr;
  });
  state.runs.clear();
  LookAtWritten(range.begin << abi::kDefaultGranuleShift,
                range.end << abi::kDefaultGranuleShift, state.runs);
  ForEachWord(state.runs, [&](u64 word, u64 value) {
    words.push_back({word, value});
    state.peeked.push_back({word, value});
    return true;
  });
  for (const EarlyMarks::Entry &entry : state.early.entries())
    if (entry.record)
      if (u64 value = entry.visible & MaskInRange(entry.record->word, range))
        words.push_back({entry.record->word, value});
}

static bool Take(GranuleRange range) {
  bool ok = true;
  state.runs.clear();
  for (const StagedWord &peeked : state.peeked) {
    ok = ok && state.early.Add(0, peeked.word, peeked.value, false);
    for (u64 i = 0; i < kPagesPerWord; ++i)
      if (peeked.value >> (8 * i) & 0xff) {
        const uptr page = (peeked.word * kPagesPerWord + i)
                          << abi::kDefaultGranuleShift;
        TakeWritten(page, page + (uptr{1} << abi::kDefaultGranuleShift),
                    state.runs);
      }
  }
  for (EarlyMarks::Entry &entry : state.early.entries())
    if (entry.record)
      entry.visible &= ~MaskInRange(entry.record->word, range);
  return ok;
}

const Engine &UffdEngine() {
  static const Engine engine = {
      "uffd", Start, StopWriteTracking, Collect, Recheck, Peek, Take};
  return engine;
}

} // namespace pagetide

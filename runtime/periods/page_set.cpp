//===- page_set.cpp - From staged words to runs of granules ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/page_set.h"

#include "pagetide/marks.h"
#include "periods/merge_ascending.h"
#include "periods/thread_chunks.h"
#include "platform/fork_reset.h"

namespace pagetide {

using shadow_file::ChunkKind;

namespace {
struct MergedWord {
  u64 word;
  u64 value;   ///< marks of this period
  u64 carried; ///< marks of an earlier one
};
} // namespace

/// Later words are numbered from here on, chunks below.
constexpr u64 kLater = u64{1} << 63;

PAGETIDE_RECORDER_STATE static ThreadChunks chunks;
PAGETIDE_RECORDER_STATE static PageVec<MergedWord> words;
PAGETIDE_RECORDER_STATE static MergeSpace<PageVec<MergedWord>> word_space;

static u32 FlagsOfGranule(u64 value, u64 carried, u32 shift) {
  return trace::granule_flags(shadow.layout, (u32)(value >> shift),
                              (u32)(carried >> shift));
}

void AppendRun(PageVec<GranuleRun> &runs, uptr first, GranuleRun run) {
  if (runs.size() > first && runs.back().end() == run.granule &&
      runs.back().flags == run.flags)
    runs.back().length += run.length;
  else
    runs.push_back(run);
}

/// Appends a word, or joins it with the last word if that has the same number.
static void AppendWord(PageVec<MergedWord> &list, uptr first,
                       const MergedWord &w) {
  if (list.size() > first && list.back().word == w.word) {
    // Cells are bit sets (marked 1, may 2), and marked wins when read.
    list.back().value |= w.value;
    list.back().carried |= w.carried;
  } else {
    list.push_back(w);
  }
}

static void EmitSection(u32 tid, const PageVec<GranuleRange> *watch,
                        PageSet &set) {
  MergeAscending(
      words, word_space,
      [](const MergedWord &a, const MergedWord &b) { return a.word < b.word; },
      AppendWord);
  uptr first = set.runs.size();
  const u32 step = 8 * shadow.cells_per_index; // bits a granule
  const u32 per_word = 8 / shadow.cells_per_index;
  const u64 cells_of_one = (u64{1} << step) - 1;
  const u64 each = ~u64{0} / cells_of_one; // a 1 in every granule's lowest bit
  WatchedGranules watched(watch);
  for (const MergedWord &w : words) {
    const u64 begin = w.word * per_word;
    // Usually all granules of a word are alike.
    if (!watch && w.value == (w.value & cells_of_one) * each &&
        w.carried == (w.carried & cells_of_one) * each) {
      if (u32 flags = FlagsOfGranule(w.value, w.carried, 0))
        AppendRun(set.runs, first, {begin, per_word, flags});
      continue;
    }
    for (u64 rest = w.value | w.carried; rest;) {
      const u32 i = (u32)__builtin_ctzll(rest) / step;
      rest &= ~(cells_of_one << (i * step));
      u32 flags = FlagsOfGranule(w.value, w.carried, i * step);
      if (!flags)
        continue;
      u64 granule = begin + i;
      if (watched.Has(granule))
        AppendRun(set.runs, first, {granule, 1, flags});
    }
  }
  if (set.runs.size() != first)
    set.sections.push_back({tid, first, set.runs.size() - first});
}

u64 WriteCellMask() { return trace::write_cells(shadow.layout); }

void BuildRuns(const PageVec<StagedWord> &loose,
               const PageVec<GranuleRange> *watch, PageSet &set) {
  set.Clear();
  words.clear();
  for (const StagedWord &w : loose)
    AppendWord(words, 0, {w.word, w.value, 0});
  EmitSection(0, watch, set);
}

static void AppendChunk(const StagingChunk &chunk) {
  const bool carried = chunk.kind == (u32)ChunkKind::kCarried;
  for (u32 w = 0; w < chunk.count; ++w) {
    const u64 value = chunk.words[w].value;
    AppendWord(words, 0,
               {chunk.words[w].word, carried ? 0 : value, carried ? value : 0});
  }
}

static void AppendLater(const LaterWords &later, uptr index) {
  const WordsOfThread &thread = later.threads[index];
  for (uptr i = thread.first; i < thread.first + thread.count; ++i)
    AppendWord(words, 0, {later.words[i].word, later.words[i].value, 0});
}

void BuildPageSet(const PeriodEntry &period, bool per_thread,
                  const PageVec<GranuleRange> *watch, PageSet &set,
                  const LaterWords *later) {
  set.Clear();
  chunks.Clear();
  for (u64 n = period.first_chunk; n != period.end_chunk; ++n)
    if (ChunkAt(n).kind != (u32)ChunkKind::kSites)
      chunks.Add(per_thread ? ChunkAt(n).tid : 0, n);
  for (uptr i = 0; later && i < later->threads.size(); ++i)
    chunks.Add(later->threads[i].tid, kLater + i);
  words.clear();
  chunks.ForEachThread(
      [&](u64 number) {
        if (number >= kLater)
          AppendLater(*later, number - kLater);
        else
          AppendChunk(ChunkAt(number));
      },
      [&](u32 tid) {
        EmitSection(tid, watch, set);
        words.clear();
      });
}

} // namespace pagetide

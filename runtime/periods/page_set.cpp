//===- page_set.cpp - From staged words to runs of granules ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "periods/page_set.h"

#include "pagetide/marks.h"
#include "platform/fork_reset.h"

#include "sanitizer_common/sanitizer_common.h"

namespace pagetide {

using shadow_file::ChunkKind;

namespace {
struct MergedWord {
  u64 word;
  u64 value;   ///< marks of this period
  u64 carried; ///< marks of an earlier one
};
} // namespace

/// Chunk numbers of the period with their threads.
struct ChunkOfThread {
  u32 tid;
  u64 number;
};

PAGETIDE_RECORDER_STATE static PageVec<ChunkOfThread> chunks, spare_chunks;
PAGETIDE_RECORDER_STATE static PageVec<MergedWord> words, spare;
/// Where the ascending stretches of `words` begin, while it is sorted.
PAGETIDE_RECORDER_STATE static PageVec<uptr> starts, next_starts;

static u32 FlagsOfGranule(u64 value, u64 carried, u32 shift) {
  return trace::granule_flags(shadow.layout, (u32)(value >> shift),
                              (u32)(carried >> shift));
}

void AppendRun(PageVec<Run> &runs, uptr first, Run run) {
  if (runs.size() > first && runs.back().end() == run.granule &&
      runs.back().flags == run.flags)
    runs.back().length += run.length;
  else
    runs.push_back(run);
}

/// Orders words and joins those with equal numbers: a merge sort that starts
/// from the ascending stretches in which a snapshot delivers them.
static void SortAndJoin() {
  starts.clear();
  for (uptr i = 0; i < words.size(); ++i)
    if (!i || words[i].word <= words[i - 1].word)
      starts.push_back(i);
  while (starts.size() > 1) {
    spare.clear();
    spare.reserve(words.size());
    next_starts.clear();
    for (uptr s = 0; s < starts.size(); s += 2) {
      next_starts.push_back(spare.size());
      uptr a = starts[s];
      uptr a_end = s + 1 < starts.size() ? starts[s + 1] : words.size();
      uptr b = a_end;
      uptr b_end = s + 2 < starts.size() ? starts[s + 2] : words.size();
      if (s + 1 >= starts.size())
        b_end = b;
      while (a < a_end || b < b_end) {
        bool take_a =
            b == b_end || (a < a_end && words[a].word <= words[b].word);
        MergedWord w = words[take_a ? a++ : b++];
        if (take_a && b < b_end && words[b].word == w.word) {
          // Cells are bit sets (marked 1, may 2), and marked wins when read.
          w.value |= words[b].value;
          w.carried |= words[b].carried;
          ++b;
        }
        spare.push_back(w);
      }
    }
    words.swap(spare);
    starts.swap(next_starts);
  }
}

static void EmitSection(u32 tid, const PageVec<GranuleRange> *watch,
                        PageSet &set) {
  SortAndJoin();
  uptr first = set.runs.size();
  const u32 step = 8 * shadow.cells; // bits a granule
  const u32 per_word = 8 / shadow.cells;
  const u64 cells_of_one = (u64{1} << step) - 1;
  const u64 each = ~u64{0} / cells_of_one; // a 1 in every granule's lowest bit
  uptr range = 0;
  for (const MergedWord &w : words) {
    const u64 begin = w.word * per_word;
    // Most often all granules of a word are alike.
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
      if (watch) {
        while (range < watch->size() && (*watch)[range].end <= granule)
          ++range;
        if (range == watch->size() || granule < (*watch)[range].begin)
          continue;
      }
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
    words.push_back({w.word, w.value, 0});
  EmitSection(0, watch, set);
}

/// A stable merge sort, bottom up: a period of short threads has a chunk for
/// each.
static void SortChunksByThread() {
  bool sorted = true;
  for (uptr i = 1; i < chunks.size(); ++i)
    sorted &= chunks[i - 1].tid <= chunks[i].tid;
  if (sorted)
    return;
  spare_chunks.resize(chunks.size());
  for (uptr width = 1; width < chunks.size(); width *= 2) {
    for (uptr begin = 0; begin < chunks.size(); begin += 2 * width) {
      uptr a = begin, a_end = __sanitizer::Min(begin + width, chunks.size());
      uptr b = a_end,
           b_end = __sanitizer::Min(begin + 2 * width, chunks.size());
      for (uptr out = begin; out < b_end; ++out) {
        bool take_a =
            b == b_end || (a < a_end && chunks[a].tid <= chunks[b].tid);
        spare_chunks[out] = chunks[take_a ? a++ : b++];
      }
    }
    chunks.swap(spare_chunks);
  }
}

void BuildPageSet(const PeriodEntry &period, bool per_thread,
                  const PageVec<GranuleRange> *watch, PageSet &set) {
  set.Clear();
  chunks.clear();
  for (u64 n = period.first_chunk; n != period.end_chunk; ++n)
    chunks.push_back({per_thread ? ChunkAt(n).tid : 0, n});
  SortChunksByThread();
  for (uptr i = 0; i < chunks.size();) {
    u32 tid = chunks[i].tid;
    words.clear();
    for (; i < chunks.size() && chunks[i].tid == tid; ++i) {
      const StagingChunk &chunk = ChunkAt(chunks[i].number);
      bool carried = chunk.kind == (u32)ChunkKind::kCarried;
      for (u32 w = 0; w < chunk.count; ++w) {
        u64 value = chunk.words[w].value;
        words.push_back(
            {chunk.words[w].word, carried ? 0 : value, carried ? value : 0});
      }
    }
    EmitSection(tid, watch, set);
  }
}

} // namespace pagetide

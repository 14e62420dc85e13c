//===- site_rows.cpp - From staged sites to runs of granules --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/site_rows.h"

#include "periods/merge_ascending.h"
#include "periods/thread_chunks.h"
#include "platform/fork_reset.h"

namespace pagetide {

using shadow_file::ChunkKind;

PAGETIDE_RECORDER_STATE static ThreadChunks chunks;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> words;
PAGETIDE_RECORDER_STATE static MergeSpace<PageVec<StagedWord>> word_space;

static void AppendWord(PageVec<StagedWord> &list, uptr first,
                       const StagedWord &word) {
  if (list.size() > first && list.back().word == word.word)
    list.back().value = abi::join_sites(list.back().value, word.value);
  else
    list.push_back(word);
}

static void AppendRun(PageVec<SiteRun> &runs, uptr first, u64 granule, u32 read,
                      u32 write) {
  if (runs.size() > first && runs.back().end() == granule &&
      runs.back().read == read && runs.back().write == write)
    ++runs.back().length;
  else
    runs.push_back({granule, 1, read, write});
}

static void AddSection(u32 tid, const PageVec<GranuleRange> *watch,
                       SiteRows &rows) {
  MergeAscending(
      words, word_space,
      [](const StagedWord &a, const StagedWord &b) { return a.word < b.word; },
      AppendWord);
  const uptr first = rows.runs.size();
  WatchedGranules watched(watch);
  u64 unit = 0, sites = 0; // of the granules of this unit, so far
  auto append_unit = [&] {
    if (sites && watched.Has(unit))
      AppendRun(rows.runs, first, unit, (u32)sites, (u32)(sites >> 32));
    sites = 0;
  };
  auto add_granule = [&](u64 granule, u64 its_sites) {
    if (granule >> shadow.cells_per_unit_shift != unit)
      append_unit();
    unit = granule >> shadow.cells_per_unit_shift;
    sites = abi::join_sites(sites, its_sites);
  };
  for (const StagedWord &word : words) {
    if (shadow.cells_per_index == 2) {
      add_granule(word.word, word.value);
      continue;
    }
    add_granule(word.word * 2, (u32)word.value);
    add_granule(word.word * 2 + 1, word.value >> 32);
  }
  append_unit();
  if (rows.runs.size() != first)
    rows.sections.push_back({tid, first, rows.runs.size() - first});
}

void BuildSiteRows(const PeriodEntry &period,
                   const PageVec<GranuleRange> *watch, SiteRows &rows) {
  rows.Clear();
  chunks.Clear();
  for (u64 n = period.first_chunk; n != period.end_chunk; ++n)
    if (ChunkAt(n).kind == (u32)ChunkKind::kSites)
      chunks.Add(ChunkAt(n).tid, n);
  words.clear();
  chunks.ForEachThread(
      [](u64 number) {
        const StagingChunk &chunk = ChunkAt(number);
        for (u32 w = 0; w < chunk.count; ++w)
          AppendWord(words, 0, chunk.words[w]);
      },
      [&](u32 tid) {
        AddSection(tid, watch, rows);
        words.clear();
      });
}

} // namespace pagetide

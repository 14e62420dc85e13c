//===- period_builder.cpp - From cells of the shadow to a period's sections
//===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/period_builder.h"

#include "trace/runs.h"

#include <algorithm>

namespace pagetide::tools {

using shadow_file::ChunkKind;
using shadow_file::StagedWord;

namespace {

/// What a nonempty cell says. Staged values are or-ed together, so that a cell
/// can be marked and `may` at once: marked wins. Values that the ABI doesn't
/// know claim no more than that there may have been an access.
unsigned flags_of_cell(abi::Layout layout, unsigned which, std::uint8_t value) {
  const bool certain = value & abi::kCellMarked;
  if (!abi::tells_writes(layout))
    return certain ? unsigned{trace::kRunAccessed} : kMayFlags;
  const bool is_write =
      layout == abi::Layout::kWrite || which == abi::write_cell(layout);
  if (is_write)
    return certain ? trace::kRunWritten : trace::kRunMayWritten;
  return certain ? trace::kRunRead : trace::kRunMayRead;
}

/// Only writes are carried; a word may hold read cells beside them.
unsigned flags_of_carried_cell(abi::Layout layout, unsigned which) {
  return which == abi::write_cell(layout) ? unsigned{trace::kRunCarried} : 0;
}

} // namespace

void PeriodBuilder::add_word(std::uint32_t tid, ChunkKind kind,
                             StagedWord word) {
  const std::uint64_t words =
      abi::shadow_bytes(geometry_.layout, geometry_.granule_shift) / 8;
  if (word.value == 0 || word.word >= words)
    return;
  Thread &thread = threads_[tid];
  (kind == ChunkKind::kCarried ? thread.carried : thread.marks).push_back(word);
}

void PeriodBuilder::add_maybe_written(std::uint32_t tid, std::uint64_t address,
                                      std::uint64_t bytes) {
  constexpr std::uint64_t limit = std::uint64_t{1} << abi::kAddressBits;
  if (bytes == 0 || address >= limit)
    return;
  const std::uint64_t last = address + std::min(bytes, limit - address) - 1;
  const std::uint64_t first_granule = address >> geometry_.granule_shift;
  const std::uint64_t last_granule = last >> geometry_.granule_shift;
  const unsigned flags = abi::tells_writes(geometry_.layout)
                             ? unsigned{trace::kRunMayWritten}
                             : kMayFlags;
  threads_[tid].maybe_written.push_back(
      {first_granule, last_granule - first_granule + 1, flags});
}

std::vector<GranuleRun>
PeriodBuilder::runs_of_words(std::vector<StagedWord> &words,
                             ChunkKind kind) const {
  std::sort(
      words.begin(), words.end(),
      [](const StagedWord &a, const StagedWord &b) { return a.word < b.word; });
  const unsigned cells_per_index = abi::cells_per_index(geometry_.layout);
  std::vector<GranuleRun> runs;
  std::uint64_t granule = 0;
  unsigned flags = 0;
  const auto finish = [&] {
    if (flags != 0)
      append_run(runs, granule, 1, normalized_flags(flags));
    flags = 0;
  };
  for (std::size_t at = 0; at < words.size();) {
    // The same word can have been staged twice and stand in the shadow again.
    const std::uint64_t word = words[at].word;
    const std::size_t first = at;
    while (at < words.size() && words[at].word == word)
      ++at;
    for (unsigned cell = 0; cell < 8; ++cell) {
      const std::uint64_t position = word * 8 + cell;
      const auto which = static_cast<unsigned>(position % cells_per_index);
      unsigned cell_flags = 0;
      for (std::size_t copy = first; copy < at; ++copy) {
        const auto value =
            static_cast<std::uint8_t>(words[copy].value >> (8 * cell));
        if (value == abi::kCellEmpty)
          continue;
        cell_flags |= kind == ChunkKind::kCarried
                          ? flags_of_carried_cell(geometry_.layout, which)
                          : flags_of_cell(geometry_.layout, which, value);
      }
      if (cell_flags == 0)
        continue;
      const std::uint64_t here = position / cells_per_index;
      if (here != granule)
        finish();
      granule = here;
      flags |= cell_flags;
    }
  }
  finish();
  words.clear();
  words.shrink_to_fit();
  return runs;
}

void PeriodBuilder::build(PeriodPart &period) {
  for (auto &[tid, thread] : threads_) {
    std::vector<GranuleRun> runs =
        runs_of_words(thread.marks, ChunkKind::kMarks);
    const std::vector<GranuleRun> carried =
        runs_of_words(thread.carried, ChunkKind::kCarried);
    if (!carried.empty())
      runs = merge_runs(runs, carried);
    std::vector<GranuleRun> maybe;
    for (const GranuleRun &range : thread.maybe_written)
      maybe = merge_runs(maybe, std::span(&range, 1));
    if (!maybe.empty())
      runs = merge_runs(runs, maybe);
    if (!runs.empty())
      period.add_section(tid, runs);
  }
  threads_.clear();
}

} // namespace pagetide::tools

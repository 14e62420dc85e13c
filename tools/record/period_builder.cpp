//===- period_builder.cpp - From cells of the shadow to a period's sets ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/period_builder.h"

#include "trace/runs.h"

#include "pagetide/marks.h"

#include <algorithm>

namespace pagetide::tools {

using shadow_file::ChunkKind;
using shadow_file::StagedWord;

void PeriodBuilder::add_word(std::uint32_t tid, ChunkKind kind,
                             StagedWord word) {
  const std::uint64_t words =
      abi::shadow_bytes(geometry_.layout, geometry_.granule_shift) / 8;
  if (word.value == 0 || word.word >= words)
    return;
  Thread &thread = threads_[tid];
  (kind == ChunkKind::kCarried ? thread.carried : thread.marks).push_back(word);
}

void PeriodBuilder::add_sites(std::uint32_t tid, StagedWord word) {
  const std::uint64_t words =
      abi::shadow_bytes(geometry_.layout, geometry_.cell_shift) / 2;
  if (word.value == 0 || word.word >= words)
    return;
  std::uint64_t &value = sites_[tid][word.word];
  value = abi::join_sites(value, word.value);
}

void PeriodBuilder::add_maybe_written(std::uint32_t tid, std::uint64_t address,
                                      std::uint64_t bytes) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << abi::kAddressBits;
  if (bytes == 0 || address >= kLimit)
    return;
  const std::uint64_t last = address + std::min(bytes, kLimit - address) - 1;
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
  const unsigned cells = abi::cells_per_index(geometry_.layout);
  const std::uint64_t mask = (std::uint64_t{1} << (8 * cells)) - 1;
  std::vector<GranuleRun> runs;
  for (std::size_t at = 0; at < words.size();) {
    // A word can be staged twice, and be in the shadow too.
    const std::uint64_t word = words[at].word;
    std::uint64_t value = 0;
    for (; at < words.size() && words[at].word == word; ++at)
      value |= words[at].value;
    for (unsigned granule = 0; granule < 8 / cells; ++granule) {
      const auto marks =
          static_cast<std::uint32_t>(value >> (8 * cells * granule) & mask);
      const unsigned flags =
          kind == ChunkKind::kCarried
              ? trace::granule_flags(geometry_.layout, 0, marks)
              : trace::granule_flags(geometry_.layout, marks, 0);
      if (flags != 0)
        append_run(runs, word * (8 / cells) + granule, 1, flags);
    }
  }
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

namespace {

void append_run(std::vector<SiteRun> &runs, std::uint64_t granule,
                std::uint32_t read, std::uint32_t write) {
  if (read == 0 && write == 0)
    return;
  if (!runs.empty() && runs.back().end() == granule &&
      runs.back().read == read && runs.back().write == write)
    ++runs.back().count;
  else
    runs.push_back({granule, 1, read, write});
}

} // namespace

void PeriodBuilder::build(PeriodSites &sites) {
  const bool one_cell = abi::cells_per_index(geometry_.layout) == 1;
  // Cells with sites are granules. What is reported may be several of them.
  const unsigned joined = geometry_.granule_shift - geometry_.cell_shift;
  for (const auto &[tid, words] : sites_) {
    std::vector<SiteRun> runs;
    std::uint64_t unit = 0;
    std::uint64_t of_unit = 0; // its sites, so far
    const auto append_unit = [&] {
      append_run(runs, unit, static_cast<std::uint32_t>(of_unit),
                 static_cast<std::uint32_t>(of_unit >> 32));
      of_unit = 0;
    };
    const auto add_granule = [&](std::uint64_t granule, std::uint64_t value) {
      if (granule >> joined != unit)
        append_unit();
      unit = granule >> joined;
      of_unit = abi::join_sites(of_unit, value);
    };
    for (const auto &[word, value] : words) {
      if (one_cell) {
        add_granule(word * 2, static_cast<std::uint32_t>(value));
        add_granule(word * 2 + 1, value >> 32);
      } else {
        add_granule(word, value);
      }
    }
    append_unit();
    if (!runs.empty())
      sites.add_section(tid, runs);
  }
  sites_.clear();
}

} // namespace pagetide::tools

//===- runs.cpp - Sets of granules as lists of runs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>

namespace pagetide::tools {

namespace {

/// Of more sections than that, a table of granules is faster than merging.
constexpr std::size_t kManySections = 4;
/// Runs of more granules are merged all the same.
constexpr std::uint64_t kShortRun = 64;

/// The flags of scattered granules, in blocks of neighbours.
class GranuleFlags {
public:
  GranuleFlags() { make_places(1024); }

  void add(const GranuleRun &run) {
    for (std::uint64_t at = run.first; at < run.end();) {
      Block &block = block_of(at / kBlockGranules);
      const std::uint64_t end =
          std::min(run.end(), (block.number + 1) * kBlockGranules);
      for (; at < end; ++at) {
        block.present |= std::uint64_t{1} << at % kBlockGranules;
        block.flags[at % kBlockGranules] |= run.flags;
      }
    }
  }

  /// All granules in order, each with all its flags.
  std::vector<GranuleRun> runs() const {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    order.reserve(blocks_.size());
    for (const Block &block : blocks_)
      order.emplace_back(block.number, order.size());
    std::sort(order.begin(), order.end());
    std::vector<GranuleRun> runs;
    for (const auto &[number, at] : order) {
      const Block &block = blocks_[at];
      for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(left));
        append_run(runs, number * kBlockGranules + i, 1,
                   normalized_flags(block.flags[i]));
      }
    }
    return runs;
  }

private:
  static constexpr std::uint64_t kBlockGranules = 64;
  static constexpr std::uint32_t kFree = UINT32_MAX;

  struct Block {
    std::uint64_t number;
    std::uint64_t present = 0;
    std::array<std::uint8_t, kBlockGranules> flags = {};
  };

  /// Nobody who makes a trace can know where a block has its place.
  static std::uint64_t factor() {
    static const std::uint64_t kRandom =
        std::uint64_t{std::random_device()()} << 32 | std::random_device()();
    return kRandom | 1;
  }

  void make_places(std::size_t count) {
    places_.assign(count, kFree);
    shift_ = static_cast<unsigned>(std::countl_zero(count)) + 1;
    for (std::size_t at = 0; at < blocks_.size(); ++at)
      place_of(blocks_[at].number) = static_cast<std::uint32_t>(at);
  }

  /// Where the block's index is, or would be.
  std::uint32_t &place_of(std::uint64_t number) {
    std::size_t place = number * factor_ >> shift_;
    while (places_[place] != kFree && blocks_[places_[place]].number != number)
      place = (place + 1) % places_.size();
    return places_[place];
  }

  Block &block_of(std::uint64_t number) {
    std::uint32_t &place = place_of(number);
    if (place != kFree)
      return blocks_[place];
    place = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({number});
    if (2 * blocks_.size() > places_.size())
      make_places(2 * places_.size());
    return blocks_.back();
  }

  std::uint64_t factor_ = factor();
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> places_; ///< a power of two
  unsigned shift_;
};

/// Lists that have all runs of the part together.
std::vector<std::vector<GranuleRun>> lists_of(const PeriodPart &part) {
  std::vector<std::vector<GranuleRun>> lists;
  if (part.sections.size() <= kManySections) {
    for (const PeriodPart::Section &section : part.sections) {
      const std::span<const GranuleRun> runs = part.runs_of(section);
      lists.emplace_back(runs.begin(), runs.end());
    }
    return lists;
  }
  GranuleFlags scattered;
  for (const PeriodPart::Section &section : part.sections) {
    std::vector<GranuleRun> others;
    for (const GranuleRun &run : part.runs_of(section)) {
      if (run.count <= kShortRun)
        scattered.add(run);
      else
        others.push_back(run);
    }
    if (!others.empty())
      lists.push_back(std::move(others));
  }
  lists.push_back(scattered.runs());
  return lists;
}

} // namespace

unsigned normalized_flags(unsigned flags) {
  if (flags & trace::kRunRead)
    flags &= ~trace::kRunMayRead;
  if (flags & trace::kRunWritten)
    flags &= ~(trace::kRunMayWritten | trace::kRunCarried);
  if (flags & trace::kRunAccessed)
    flags &= ~(kMayFlags | trace::kRunCarried);
  return flags;
}

void append_run(std::vector<GranuleRun> &runs, std::uint64_t first,
                std::uint64_t count, unsigned flags) {
  if (!runs.empty() && runs.back().end() == first &&
      runs.back().flags == flags) {
    runs.back().count += count;
    return;
  }
  runs.push_back({first, count, static_cast<std::uint8_t>(flags)});
}

void append_certain(std::vector<GranuleRun> &runs,
                    std::span<const GranuleRun> all) {
  for (const GranuleRun &run : all)
    if (const unsigned certain = certain_flags(run.flags))
      append_run(runs, run.first, run.count, certain);
}

std::vector<GranuleRun> merge_runs(std::span<const GranuleRun> a,
                                   std::span<const GranuleRun> b) {
  std::vector<GranuleRun> out;
  out.reserve(a.size() + b.size());
  std::size_t next_a = 0;
  std::size_t next_b = 0;
  std::uint64_t at = 0; // everything below is in `out`
  while (next_a < a.size() && next_b < b.size()) {
    const GranuleRun &run_a = a[next_a];
    const GranuleRun &run_b = b[next_b];
    const std::uint64_t from_a = std::max(run_a.first, at);
    const std::uint64_t from_b = std::max(run_b.first, at);
    const std::uint64_t from = std::min(from_a, from_b);
    // Up to where neither list changes.
    std::uint64_t to;
    unsigned flags;
    if (from_a != from_b) {
      const GranuleRun &earlier = from_a < from_b ? run_a : run_b;
      to = std::min(earlier.end(), std::max(from_a, from_b));
      flags = normalized_flags(earlier.flags);
    } else {
      to = std::min(run_a.end(), run_b.end());
      flags = normalized_flags(run_a.flags | run_b.flags);
    }
    append_run(out, from, to - from, flags);
    at = to;
    if (run_a.end() <= at)
      ++next_a;
    if (run_b.end() <= at)
      ++next_b;
  }
  const auto copy_rest = [&](std::span<const GranuleRun> list,
                             std::size_t next) {
    for (; next < list.size(); ++next) {
      const std::uint64_t from = std::max(list[next].first, at);
      append_run(out, from, list[next].end() - from,
                 normalized_flags(list[next].flags));
    }
  };
  copy_rest(a, next_a);
  copy_rest(b, next_b);
  return out;
}

std::span<const GranuleRun>
union_of_sections(const PeriodPart &part, std::vector<GranuleRun> &scratch) {
  if (part.sections.size() <= 1)
    return part.runs;
  if (part.is_final && part.united)
    return *part.united;
  // Neighbours are merged in pairs, round by round, so that each run is copied
  // log2(lists) times.
  std::vector<std::vector<GranuleRun>> lists = lists_of(part);
  while (lists.size() > 1) {
    std::vector<std::vector<GranuleRun>> merged;
    for (std::size_t i = 0; i + 1 < lists.size(); i += 2) {
      merged.push_back(merge_runs(lists[i], lists[i + 1]));
      std::vector<GranuleRun>().swap(lists[i]);
      std::vector<GranuleRun>().swap(lists[i + 1]);
    }
    if (lists.size() % 2 != 0)
      merged.push_back(std::move(lists.back()));
    lists = std::move(merged);
  }
  if (part.is_final)
    return part.united.emplace(std::move(lists.front()));
  scratch = std::move(lists.front());
  return scratch;
}

trace::ChecksumState ChecksumLookup::at(std::uint64_t granule,
                                        std::uint64_t &until,
                                        const std::uint64_t *&hashes) {
  using trace::ChecksumState;
  const std::vector<ChecksumRun> &runs = part_.checksum_runs;
  while (next_ < runs.size() && runs[next_].end() <= granule) {
    if (runs[next_].stable())
      hashes_before_ += runs[next_].count;
    ++next_;
  }
  hashes = nullptr;
  if (next_ == runs.size())
    return ChecksumState::kNone;
  const ChecksumRun &run = runs[next_];
  if (run.first > granule) {
    until = std::min(until, std::uint64_t{run.first});
    return ChecksumState::kNone;
  }
  until = std::min(until, run.end());
  if (run.stable())
    hashes = &part_.hashes[hashes_before_ + (granule - run.first)];
  return static_cast<ChecksumState>(run.state);
}

} // namespace pagetide::tools

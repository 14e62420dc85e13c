//===- mapping_use.cpp - Which mappings the touched granules lie in -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/mapping_use.h"

#include "support/pieces.h"
#include "trace/runs.h"

#include <algorithm>
#include <tuple>

namespace pagetide::tools {

namespace {

constexpr const char kAnonymous[] = "[anonymous]";
constexpr const char kUnexplained[] = "[unknown]";
constexpr const char kLost[] = "[mappings lost]";
constexpr const char kOther[] = "[other mappings]";
constexpr std::size_t kMaxNames = 16384;
constexpr std::size_t kMaxNameBytes = 4096; // PATH_MAX
constexpr std::size_t kMaxUnexplained = 1 << 16;
/// A process has at most 65530 mappings if vm.max_map_count has its default.
constexpr std::size_t kMaxEarlierRanges = 1 << 18;

} // namespace

std::size_t MappingUses::use_named(const std::string &name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end())
    return found->second;
  if (uses_.size() >= kMaxNames && name != kOther)
    return use_named(kOther);
  uses_.emplace_back(name, budget_);
  return by_name_[name] = uses_.size() - 1;
}

/// Adds the list in force to the earlier ones. Where both have a mapping, the
/// list in force counts, except over files that were closed.
void MappingUses::keep_for_this_period() {
  std::vector<Range> kept = closed_ranges_;
  const auto add_uncovered = [&](const std::vector<Range> &added,
                                 const std::vector<Range> &covering) {
    Pieces pieces(covering);
    for (const Range &range : added)
      pieces.divide(
          range.first, range.end,
          [&](std::uint64_t first, std::uint64_t end, const Range *covered) {
            if (!covered)
              kept.push_back({first, end, range.use});
          });
  };
  add_uncovered(ranges_, closed_ranges_);
  if (!period_has_ended_)
    add_uncovered(earlier_ranges_, ranges_);
  if (kept.size() > kMaxEarlierRanges) // the trace is made up
    kept = ranges_;
  std::sort(kept.begin(), kept.end(),
            [](const Range &a, const Range &b) { return a.first < b.first; });
  earlier_ranges_ = std::move(kept);
  period_has_ended_ = false;
}

void MappingUses::find_closed() {
  closed_ranges_.clear();
  Pieces pieces(ranges_);
  for (const Range &range : earlier_ranges_)
    if (uses_[range.use].name.starts_with('/'))
      pieces.divide(
          range.first, range.end,
          [&](std::uint64_t first, std::uint64_t end, const Range *now) {
            if (now && uses_[now->use].name == kAnonymous)
              closed_ranges_.push_back({first, end, range.use});
          });
}

void MappingUses::set_mappings(const Mappings &mappings) {
  lost_ = false;
  keep_for_this_period();
  ranges_.clear();
  std::uint64_t floor = 0;
  for (const Mapping &mapping : mappings.mappings) {
    if (mapping.bytes == 0)
      continue;
    // A granule that spans two mappings counts for the first one.
    const std::uint64_t first =
        std::max(mapping.start >> granule_shift_, floor);
    const std::uint64_t end =
        ((mapping.start + (mapping.bytes - 1)) >> granule_shift_) + 1;
    if (first >= end)
      continue;
    ranges_.push_back({first, end,
                       use_named(mapping.name.empty()
                                     ? kAnonymous
                                     : mapping.name.substr(0, kMaxNameBytes))});
    floor = end;
  }
  find_closed();
  const std::vector<GranuleRun> waiting = std::move(unexplained_);
  unexplained_.clear();
  std::vector<GranuleRun> rest;
  // The waiting runs are of several periods, and not sorted: one at a time.
  for (const GranuleRun &run : waiting)
    attribute(ranges_, std::span(&run, 1), rest);
  const std::size_t unexplained = use_named(kUnexplained);
  for (const GranuleRun &run : rest)
    count(unexplained, run.first, run.end(), run.flags);
}

void MappingUses::forget_mappings() {
  finish();
  lost_ = lost_earlier_ = true;
  ranges_.clear();
  earlier_ranges_.clear();
  closed_ranges_.clear();
}

void MappingUses::count(std::size_t use, std::uint64_t first, std::uint64_t end,
                        unsigned flags) {
  Use &target = uses_[use];
  const std::uint64_t granules = end - first;
  if (flags == 0) {
    target.may += granules;
    return;
  }
  target.accessed += granules;
  if (flags & trace::kRunRead)
    target.read += granules;
  if (flags & trace::kRunWritten)
    target.written += granules;
  target.distinct.insert(first, end);
}

void MappingUses::attribute(const std::vector<Range> &ranges,
                            std::span<const GranuleRun> runs,
                            std::vector<GranuleRun> &rest) {
  Pieces pieces(ranges);
  for (const GranuleRun &run : runs)
    pieces.divide(
        run.first, run.end(),
        [&](std::uint64_t first, std::uint64_t end, const Range *range) {
          if (range)
            count(range->use, first, end, run.flags);
          else
            rest.push_back({first, end - first, run.flags});
        });
}

void MappingUses::add(std::span<const GranuleRun> runs) {
  std::vector<GranuleRun> &known = scratch_[0];
  std::vector<GranuleRun> &rest = scratch_[1];
  known.clear();
  rest.clear();
  for (const GranuleRun &run : runs) {
    const unsigned certain = certain_flags(run.flags);
    // The run has no flags if nothing is certain.
    if (certain != 0 || !(run.flags & trace::kRunCarried))
      known.push_back({run.first, run.count, certain});
  }
  if (lost_) {
    const std::size_t lost = use_named(kLost);
    for (const GranuleRun &run : known)
      count(lost, run.first, run.end(), run.flags);
    return;
  }
  std::vector<GranuleRun> open, still;
  attribute(closed_ranges_, known, open);
  attribute(ranges_, open, rest);
  attribute(earlier_ranges_, rest, still);
  for (const GranuleRun &run : still) {
    if (lost_earlier_)
      count(use_named(kLost), run.first, run.end(), run.flags);
    else if (unexplained_.size() < kMaxUnexplained)
      unexplained_.push_back(run);
    else
      count(use_named(kUnexplained), run.first, run.end(), run.flags);
  }
}

void MappingUses::finish() {
  const std::size_t unexplained = use_named(kUnexplained);
  for (const GranuleRun &run : unexplained_)
    count(unexplained, run.first, run.end(), run.flags);
  unexplained_.clear();
}

std::vector<const MappingUses::Use *> MappingUses::busiest() const {
  std::vector<const Use *> uses;
  for (const Use &use : uses_)
    if (use.accessed != 0 || use.may != 0)
      uses.push_back(&use);
  std::sort(uses.begin(), uses.end(), [](const Use *a, const Use *b) {
    return std::tie(b->accessed, b->may, a->name) <
           std::tie(a->accessed, a->may, b->name);
  });
  return uses;
}

} // namespace pagetide::tools

//===- mapping_names.cpp - In which mapping a granule lies ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/mapping_names.h"

#include "support/pieces.h"
#include "support/text_format.h"

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr const char kUnexplained[] = "[unknown]";
constexpr const char kLost[] = "[mappings lost]";
constexpr const char kOther[] = "[other mappings]";
constexpr std::size_t kMaxNames = 16384;
constexpr std::size_t kMaxNameBytes = 4096; // PATH_MAX
constexpr std::size_t kMaxWaiting = 1 << 16;
/// A process has at most 65530 mappings if vm.max_map_count has its default.
constexpr std::size_t kMaxEarlierRanges = 1 << 18;

} // namespace

std::string name_of(const Mapping &mapping) {
  return mapping.name.empty()
             ? kAnonymousMapping
             : std::string(first_bytes(mapping.name, kMaxNameBytes));
}

MappedGranules granules_of(const Mapping &mapping, unsigned granule_shift,
                           std::uint64_t floor) {
  if (mapping.bytes == 0)
    return {};
  return {std::max(mapping.start >> granule_shift, floor),
          ((mapping.start + (mapping.bytes - 1)) >> granule_shift) + 1};
}

MappingNames::MappingNames(unsigned granule_shift, Take take)
    : MappingNames(granule_shift,
                   [take = std::move(take)](const Place &place,
                                            const GranuleRun &piece,
                                            const PeriodTime &period) {
                     take(place.name, piece, period);
                   }) {}

MappingNames::MappingNames(unsigned granule_shift, TakePlace take)
    : granule_shift_(granule_shift), take_(std::move(take)) {}

std::uint32_t MappingNames::number_of(const Object &object) {
  const auto found = object_numbers_.find(object);
  if (found != object_numbers_.end())
    return found->second;
  if (objects_.size() == kMaxNames)
    return 0;
  objects_.push_back(object);
  return object_numbers_[object] = static_cast<std::uint32_t>(objects_.size());
}

std::uint32_t MappingNames::number_of(const std::string &name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end())
    return found->second;
  if (names_.size() >= kMaxNames && name != kOther)
    return number_of(kOther);
  names_.push_back(name);
  return numbers_[name] = static_cast<std::uint32_t>(names_.size() - 1);
}

/// Adds the list in force to the earlier ones. Where both have a mapping, the
/// list in force counts, except over files that were closed.
void MappingNames::keep_for_this_period() {
  std::vector<Range> kept = closed_ranges_;
  const auto add_uncovered = [&](const std::vector<Range> &added,
                                 const std::vector<Range> &covering) {
    Pieces pieces(covering);
    for (const Range &range : added)
      pieces.divide(
          range.first, range.end,
          [&](std::uint64_t first, std::uint64_t end, const Range *covered) {
            if (!covered)
              kept.push_back({first, end, range.place});
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

void MappingNames::find_closed() {
  closed_ranges_.clear();
  Pieces pieces(ranges_);
  for (const Range &range : earlier_ranges_)
    if (range.place.is_file)
      pieces.divide(
          range.first, range.end,
          [&](std::uint64_t first, std::uint64_t end, const Range *now) {
            if (now && names_[now->place.name] == kAnonymousMapping)
              closed_ranges_.push_back({first, end, range.place});
          });
}

std::vector<MappingNames::Range>
MappingNames::ranges_of(const Mappings &mappings) {
  std::vector<Range> ranges;
  std::uint64_t floor = 0;
  for (const Mapping &mapping : mappings.mappings) {
    const auto [first, end] = granules_of(mapping, granule_shift_, floor);
    if (first >= end)
      continue;
    Place place;
    place.name = number_of(name_of(mapping));
    place.is_file = mapping.name.starts_with('/');
    place.file_shift = mapping.offset - mapping.start;
    if (mapping.protection & trace::kMappingShared && mapping.inode != 0)
      place.object = number_of(Object(mapping.device, mapping.inode));
    ranges.push_back({first, end, place});
    floor = end;
  }
  return ranges;
}

void MappingNames::set_mappings(const Mappings &mappings) {
  lost_ = false;
  knows_next_ranges_ = false;
  keep_for_this_period();
  ranges_ = ranges_of(mappings);
  find_closed();
  const std::vector<Waiting> waiting = std::move(waiting_);
  waiting_.clear();
  std::vector<GranuleRun> rest;
  // The waiting runs are of several periods, and not sorted: one at a time.
  for (const Waiting &each : waiting) {
    rest.clear();
    attribute(ranges_, std::span(&each.run, 1), each.period, rest);
    for (const GranuleRun &run : rest)
      take_(place_of(kUnexplained), run, each.period);
  }
}

void MappingNames::forget_mappings() {
  finish();
  knows_next_ranges_ = false;
  lost_ = lost_earlier_ = true;
  ranges_.clear();
  earlier_ranges_.clear();
  closed_ranges_.clear();
}

void MappingNames::attribute(const std::vector<Range> &ranges,
                             std::span<const GranuleRun> runs,
                             const PeriodTime &period,
                             std::vector<GranuleRun> &rest) {
  if (ranges.empty()) {
    rest.insert(rest.end(), runs.begin(), runs.end());
    return;
  }
  Pieces pieces(ranges);
  for (const GranuleRun &run : runs)
    pieces.divide(
        run.first, run.end(),
        [&](std::uint64_t first, std::uint64_t end, const Range *range) {
          const GranuleRun piece = {first, end - first, run.flags};
          if (range)
            take_(range->place, piece, period);
          else
            rest.push_back(piece);
        });
}

void MappingNames::divide(std::span<const GranuleRun> runs,
                          const PeriodTime &period) {
  if (lost_) {
    const Place lost = place_of(kLost);
    for (const GranuleRun &run : runs)
      take_(lost, run, period);
    return;
  }
  std::vector<GranuleRun> &open = scratch_[0];
  std::vector<GranuleRun> &rest = scratch_[1];
  std::vector<GranuleRun> &still = scratch_[2];
  for (std::vector<GranuleRun> *list : {&open, &rest, &still})
    list->clear();
  attribute(closed_ranges_, runs, period, open);
  attribute(ranges_, open, period, rest);
  attribute(earlier_ranges_, rest, period, still);
  take_open(still, period);
}

/// Takes pieces that are in none of the lists so far.
void MappingNames::take_open(std::span<const GranuleRun> runs,
                             const PeriodTime &period) {
  if (runs.empty())
    return;
  if (next_list_ && !lost_earlier_) {
    if (!knows_next_ranges_) {
      const Mappings *next = next_list_();
      next_ranges_ = next ? ranges_of(*next) : std::vector<Range>();
      knows_next_ranges_ = true;
    }
    std::vector<GranuleRun> &unexplained = scratch_[3];
    unexplained.clear();
    attribute(next_ranges_, runs, period, unexplained);
    for (const GranuleRun &run : unexplained)
      take_(place_of(kUnexplained), run, period);
    return;
  }
  if (!lost_earlier_) {
    const std::size_t wait =
        std::min(runs.size(), kMaxWaiting - waiting_.size());
    for (const GranuleRun &run : runs.first(wait))
      waiting_.push_back({run, period});
    runs = runs.subspan(wait);
  }
  if (runs.empty())
    return;
  const Place place = place_of(lost_earlier_ ? kLost : kUnexplained);
  for (const GranuleRun &run : runs)
    take_(place, run, period);
}

void MappingNames::finish() {
  for (const Waiting &each : waiting_)
    take_(place_of(kUnexplained), each.run, each.period);
  waiting_.clear();
}

} // namespace pagetide::tools

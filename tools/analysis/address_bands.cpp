//===- address_bands.cpp - An axis of addresses without empty space -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/address_bands.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace pagetide::tools {

namespace {

/// A hole stays in a band if it is at most this part of all that is used.
constexpr std::uint64_t kHoleShare = 64;
/// A hole is worth an extra band if it is more than this part of the axis.
constexpr std::uint64_t kLongHoleShare = 8;
/// Ranges of different names are joined only if they are so much closer.
constexpr std::uint64_t kNameFactor = 4;

/// Between two neighbouring ranges.
struct Hole {
  std::size_t before; ///< index of the range that ends at it
  std::uint64_t length;
  bool name_changes;
};

} // namespace

AddressBands::AddressBands(std::vector<AddressBand> bands)
    : bands_(std::move(bands)) {
  std::uint64_t position = 0;
  for (AddressBand &band : bands_) {
    band.position = position;
    position += band.length();
  }
}

std::size_t AddressBands::band_from(std::uint64_t granule) const {
  const auto found = std::partition_point(
      bands_.begin(), bands_.end(),
      [&](const AddressBand &band) { return band.end <= granule; });
  return static_cast<std::size_t>(found - bands_.begin());
}

void UsedRanges::add(std::size_t name, std::uint64_t first, std::uint64_t end) {
  if (first >= end || (recent_first_ <= first && end <= recent_end_))
    return;
  const std::uint64_t whole_end = end;
  // Insert what no range covers.
  auto next = ranges_.upper_bound(first);
  if (next != ranges_.begin())
    first = std::max(first, std::prev(next)->second.end);
  while (first < end) {
    const std::uint64_t to =
        next == ranges_.end() ? end : std::min(end, next->first);
    if (first < to)
      insert(name, first, to);
    // insert() may have joined `next` with others.
    next = ranges_.upper_bound(first);
    first = std::max(first + 1, std::prev(next)->second.end);
  }
  const auto at = std::prev(ranges_.upper_bound(whole_end - 1));
  recent_first_ = at->first;
  recent_end_ = at->second.end;
  if (ranges_.size() > max_ranges_)
    join_close_ones();
}

void UsedRanges::insert(std::size_t name, std::uint64_t first,
                        std::uint64_t end) {
  auto added = ranges_.emplace(first, Range{end, name}).first;
  if (added != ranges_.begin()) {
    const auto left = std::prev(added);
    if (joins(left, added)) {
      join(left, added);
      added = left;
    }
  }
  if (const auto right = std::next(added);
      right != ranges_.end() && joins(added, right))
    join(added, right);
}

bool UsedRanges::joins(const Ranges::iterator &left,
                       const Ranges::iterator &right) const {
  const std::uint64_t gap = right->first - left->second.end;
  return left->second.name == right->second.name
             ? gap <= join_gap_
             : gap < join_gap_ / kNameFactor;
}

void UsedRanges::join(const Ranges::iterator &left,
                      const Ranges::iterator &right) {
  if (right->second.end - right->first > left->second.end - left->first)
    left->second.name = right->second.name;
  left->second.end = right->second.end;
  ranges_.erase(right);
}

void UsedRanges::join_close_ones() {
  // Half of them, so that this is seldom needed.
  while (ranges_.size() > max_ranges_ / 2) {
    join_gap_ = std::max<std::uint64_t>(join_gap_ * 2, 1);
    for (auto at = ranges_.begin(); std::next(at) != ranges_.end();) {
      const auto right = std::next(at);
      if (joins(at, right))
        join(at, right);
      else
        at = right;
    }
  }
  recent_first_ = 1;
  recent_end_ = 0;
}

AddressBands
UsedRanges::bands(std::size_t max_bands,
                  const std::function<std::string(std::size_t name)> &name_of,
                  std::size_t extra_bands) const {
  if (ranges_.empty())
    return AddressBands();
  std::uint64_t used = 0;
  std::vector<Hole> holes;
  for (auto at = ranges_.begin(); at != ranges_.end(); ++at) {
    used += at->second.end - at->first;
    if (const auto next = std::next(at); next != ranges_.end())
      holes.push_back({holes.size(), next->first - at->second.end,
                       next->second.name != at->second.name});
  }
  // With the holes that stay.
  std::uint64_t axis =
      std::prev(ranges_.end())->second.end - ranges_.begin()->first;
  std::erase_if(holes, [&](const Hole &hole) {
    return !hole.name_changes && hole.length <= used / kHoleShare;
  });
  std::size_t cuts = std::max<std::size_t>(max_bands, 1) - 1;
  if (holes.size() > cuts) {
    std::sort(holes.begin(), holes.end(), [](const Hole &a, const Hole &b) {
      return std::tie(b.length, b.name_changes, a.before) <
             std::tie(a.length, a.name_changes, b.before);
    });
    for (std::size_t i = 0; i < cuts; ++i)
      axis -= holes[i].length;
    const std::size_t most = std::min(holes.size(), cuts + extra_bands);
    for (; cuts < most && holes[cuts].length > axis / kLongHoleShare; ++cuts)
      axis -= holes[cuts].length;
    holes.resize(cuts);
  }
  std::set<std::size_t> ends; // indices of ranges that end a band
  for (const Hole &hole : holes)
    ends.insert(hole.before);

  std::vector<AddressBand> bands;
  std::map<std::size_t, std::uint64_t> names; // granules of each in the band
  std::size_t index = 0;
  bool begins = true;
  for (const auto &[first, range] : ranges_) {
    if (begins)
      bands.push_back({.first = first, .end = range.end});
    bands.back().end = range.end;
    names[range.name] += range.end - first;
    begins = ends.contains(index) || index + 1 == ranges_.size();
    ++index;
    if (!begins)
      continue;
    const auto most = std::max_element(
        names.begin(), names.end(),
        [](const auto &a, const auto &b) { return a.second < b.second; });
    bands.back().label = name_of(most->first);
    bands.back().more_labels = names.size() - 1;
    names.clear();
  }
  return AddressBands(std::move(bands));
}

} // namespace pagetide::tools

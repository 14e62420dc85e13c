//===- page_places.cpp - Where in its mapping a page lies -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compare/page_places.h"

#include "analysis/mapping_names.h"
#include "support/text_format.h"

#include <fmt/format.h>

namespace pagetide::tools {

namespace {

constexpr const char kProgram[] = "(program)";
/// Of one process. A made-up trace can have very many.
constexpr std::size_t kMaxPlaces = 1 << 16;
constexpr std::size_t kMaxRanges = 1 << 18;
constexpr std::size_t kMaxNumbers = 1 << 20;
constexpr std::uint64_t kAccess = 7; // PROT_READ | PROT_WRITE | PROT_EXEC

} // namespace

std::string Place::words(std::uint64_t granule, unsigned granule_shift) const {
  std::string text = printable(name);
  if (ordinal != 0)
    text += fmt::format(" {}", ordinal + 1);
  if (granule == anchor)
    return text;
  const bool is_below = granule < anchor;
  const std::uint64_t distance =
      (is_below ? anchor - granule : granule - anchor) << granule_shift;
  return text + fmt::format(" {} {:#x}", is_below ? '-' : '+', distance);
}

/// Memory without access is in no place: thread stacks and arenas that lie side
/// by side in one run need not do so in another.
std::vector<PagePlaces::Cluster>
PagePlaces::clusters_of(const Mappings &mappings) const {
  std::vector<Cluster> clusters;
  std::uint64_t floor = 0;
  for (const Mapping &mapping : mappings.mappings) {
    if (mapping.bytes == 0)
      continue;
    const auto [first, end] = granules_of(mapping, granule_shift_, floor);
    const bool continues = !clusters.empty() && clusters.back().end == first;
    if (mapping.name.empty() && !(mapping.protection & kAccess)) {
      if (continues)
        clusters.back().has_room_behind = true;
      continue;
    }
    if (first >= end)
      continue;
    floor = end;
    std::string name = name_of(mapping);
    if (continues && clusters.back().name == name)
      clusters.back().end = end;
    else
      clusters.push_back({first, end, std::move(name), false});
  }
  return clusters;
}

std::size_t PagePlaces::new_place(const Cluster &cluster) {
  Place place;
  place.name = cluster.name;
  place.kind = cluster.name == program_
                   ? kProgram
                   : cluster.name.substr(cluster.name.rfind('/') + 1);
  place.ordinal = ordinals_[place.kind]++;
  // The kernel maps downwards, so memory without a name grows at its begin.
  // What malloc reserves for a thread grows at its end.
  place.from_end =
      cluster.name == "[stack]" ||
      (cluster.name == kAnonymousMapping && !cluster.has_room_behind);
  place.anchor = place.from_end ? cluster.end : cluster.first;
  places_.push_back(std::move(place));
  return places_.size() - 1;
}

void PagePlaces::put(std::uint64_t first, std::uint64_t end,
                     std::size_t place) {
  auto next = ranges_.lower_bound(first);
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    const Range range = before->second;
    if (range.end > first) {
      before->second.end = first;
      if (range.end > end)
        ranges_[end] = range;
    }
  }
  while (next != ranges_.end() && next->first < end) {
    const Range range = next->second;
    next = ranges_.erase(next);
    if (range.end > end) {
      ranges_[end] = range;
      break;
    }
  }
  ranges_[first] = {end, place};
}

/// Parts of the cluster that were in a place of this name stay in it. The rest
/// has grown from the place below it, or from the one above.
void PagePlaces::add(const Cluster &cluster) {
  struct Piece {
    std::uint64_t first;
    std::uint64_t end;
    std::optional<std::size_t> place;
  };
  std::vector<Piece> pieces;
  std::optional<std::size_t> last;
  divide(cluster.first, cluster.end,
         [&](std::uint64_t first, std::uint64_t end, const Place *place) {
           if (place && place->name == cluster.name)
             last = static_cast<std::size_t>(place - places_.data());
           pieces.push_back({first, end, last});
         });
  if (!last) {
    if (places_.size() < kMaxPlaces)
      put(cluster.first, cluster.end, new_place(cluster));
    return;
  }
  std::optional<std::size_t> above;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (!piece->place)
      piece->place = above;
    above = piece->place;
  }
  for (const Piece &piece : pieces)
    put(piece.first, piece.end, *piece.place);
}

void PagePlaces::set_mappings(const Mappings &mappings) {
  if (ranges_.size() > kMaxRanges)
    forget();
  for (const Cluster &cluster : clusters_of(mappings))
    add(cluster);
}

const Place *PagePlaces::find(std::uint64_t granule) const {
  const Place *found = nullptr;
  divide(
      granule, granule + 1,
      [&](std::uint64_t, std::uint64_t, const Place *place) { found = place; });
  return found;
}

std::optional<std::uint64_t> PlaceNumbers::number_of(const Place &place) {
  const auto key = std::make_pair(place.kind, place.ordinal);
  const auto found = numbers_.find(key);
  if (found != numbers_.end())
    return found->second;
  if (numbers_.size() >= kMaxNumbers)
    return std::nullopt;
  const std::uint64_t number = numbers_.size();
  numbers_.emplace(key, number);
  return number;
}

} // namespace pagetide::tools

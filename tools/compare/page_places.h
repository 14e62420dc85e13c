//===- page_places.h - Where in its mapping a page lies -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where addresses are random, a page of one run has the address of another page
// in another run. What both runs have in common is the mapping, and the offset
// within it. docs/using/comparing-runs.md says how mappings are told apart.

#pragma once

#include "trace/trace_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// Neighbouring mappings of one name. Other such places of the same name have
/// other ordinals, in the order in which they came.
struct Place {
  std::string name; ///< that of the mapping, "[anonymous]" if it has none
  std::string kind; ///< what other runs call it: of a path the last part
  std::size_t ordinal = 0;
  /// The granule from which offsets count: the first one, or one past the last
  /// one if the mapping grows downwards.
  std::uint64_t anchor = 0;
  bool from_end = false;

  /// "[heap] + 0x3000", "[stack] - 0x1000", "[anonymous] 2 + 0x10000".
  std::string words(std::uint64_t granule, unsigned granule_shift) const;
};

/// The places of one process, by its lists of mappings.
class PagePlaces {
public:
  explicit PagePlaces(unsigned granule_shift) : granule_shift_(granule_shift) {}

  /// The program's file, whose name may differ between the runs.
  void set_program(std::string path) { program_ = std::move(path); }
  /// The mappings from now on.
  void set_mappings(const Mappings &mappings);
  /// Lists are lost. What is known of places does not hold any more.
  void forget() { ranges_.clear(); }

  /// Calls visit(first, end, place) for the pieces of [first, end). `place` is
  /// the one that was last listed there, or null.
  template <typename Visit>
  void divide(std::uint64_t first, std::uint64_t end, Visit visit) const {
    auto next = ranges_.upper_bound(first);
    if (next != ranges_.begin() && std::prev(next)->second.end > first)
      --next;
    while (first < end) {
      if (next == ranges_.end() || next->first >= end) {
        visit(first, end, static_cast<const Place *>(nullptr));
        return;
      }
      if (next->first > first) {
        visit(first, next->first, static_cast<const Place *>(nullptr));
        first = next->first;
      }
      const std::uint64_t stop = std::min(end, next->second.end);
      visit(first, stop, &places_[next->second.place]);
      first = stop;
      ++next;
    }
  }
  /// Null if the granule is in no list.
  const Place *find(std::uint64_t granule) const;

private:
  struct Range {
    std::uint64_t end;
    std::size_t place;
  };
  /// Neighbouring mappings of one name in a list.
  struct Cluster {
    std::uint64_t first;
    std::uint64_t end;
    std::string name;
    bool has_room_behind; ///< memory without access follows, as in an arena
  };

  std::vector<Cluster> clusters_of(const Mappings &mappings) const;
  std::size_t new_place(const Cluster &cluster);
  void add(const Cluster &cluster);
  void put(std::uint64_t first, std::uint64_t end, std::size_t place);

  unsigned granule_shift_;
  std::string program_;
  std::vector<Place> places_;
  std::map<std::string, std::size_t> ordinals_; ///< by kind: the next one
  /// By first granule, without overlap. What was listed last.
  std::map<std::uint64_t, Range> ranges_;
};

/// Gives equal numbers to the places that two runs have in common.
class PlaceNumbers {
public:
  /// Nothing if there are too many.
  std::optional<std::uint64_t> number_of(const Place &place);

private:
  std::map<std::pair<std::string, std::size_t>, std::uint64_t> numbers_;
};

} // namespace pagetide::tools

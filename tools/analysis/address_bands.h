//===- address_bands.h - An axis of addresses without empty space ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process uses few of its 2^47 addresses, and they lie far apart. A picture
// needs an axis that leaves out what is between them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Neighbouring granules of the address space that were used, with the short
/// holes between them.
struct AddressBand {
  std::uint64_t first = 0; ///< granules
  std::uint64_t end = 0;
  std::uint64_t position = 0;  ///< of `first` on the axis
  std::string label = {};      ///< name of the mapping with the most granules
  std::size_t more_labels = 0; ///< how many mappings of other names it has

  std::uint64_t length() const { return end - first; }
  friend bool operator==(const AddressBand &a, const AddressBand &b) = default;
};

/// An axis on which the bands follow one another. Positions count granules.
class AddressBands {
public:
  AddressBands() = default;
  /// Bands by rising addresses, without overlap. Sets their positions.
  explicit AddressBands(std::vector<AddressBand> bands);

  const std::vector<AddressBand> &list() const { return bands_; }
  /// One past the last position.
  std::uint64_t length() const {
    return bands_.empty() ? 0 : bands_.back().position + bands_.back().length();
  }
  /// Calls visit(position, count) for each piece of [first, end) that lies in
  /// one band.
  template <typename Visit>
  void each_piece(std::uint64_t first, std::uint64_t end, Visit visit) const {
    for (std::size_t i = band_from(first); i < bands_.size(); ++i) {
      const AddressBand &band = bands_[i];
      if (band.first >= end)
        return;
      const std::uint64_t from = first < band.first ? band.first : first;
      const std::uint64_t to = end < band.end ? end : band.end;
      visit(band.position + (from - band.first), to - from);
    }
  }

private:
  /// The first band that ends above the granule.
  std::size_t band_from(std::uint64_t granule) const;

  std::vector<AddressBand> bands_;
};

/// Collects which granules a process used, and in mappings of which names. Its
/// memory is bounded: if there are too many ranges, it joins those that are
/// close together.
class UsedRanges {
public:
  static constexpr std::size_t kMaxRanges = 16384;

  explicit UsedRanges(std::size_t max_ranges = kMaxRanges)
      : max_ranges_(max_ranges < 2 ? 2 : max_ranges) {}

  /// Adds [first, end). `name` is the number of the mapping's name. Granules
  /// that came before keep the name that they had.
  void add(std::size_t name, std::uint64_t first, std::uint64_t end);

  /// Folds away the holes: the longest ones, until there are `max_bands`. Holes
  /// that are short beside what is used stay, if mappings of one name are on
  /// both sides. If a hole would still take much of the axis, it goes too, as
  /// long as there are not `extra_bands` more. `name_of` gives the names for
  /// the numbers.
  AddressBands
  bands(std::size_t max_bands,
        const std::function<std::string(std::size_t name)> &name_of,
        std::size_t extra_bands = 0) const;

private:
  struct Range {
    std::uint64_t end = 0;
    std::size_t name = 0;
  };
  using Ranges = std::map<std::uint64_t, Range>; ///< by their first granules

  void insert(std::size_t name, std::uint64_t first, std::uint64_t end);
  bool joins(const Ranges::iterator &left, const Ranges::iterator &right) const;
  /// Joins a range with the one behind it.
  void join(const Ranges::iterator &left, const Ranges::iterator &right);
  void join_close_ones();

  std::size_t max_ranges_;
  Ranges ranges_;
  /// Ranges of one name that are so close are one.
  std::uint64_t join_gap_ = 0;
  /// Most granules are in the range of those before them.
  std::uint64_t recent_first_ = 1;
  std::uint64_t recent_end_ = 0;
};

} // namespace pagetide::tools

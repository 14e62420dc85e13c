//===- granule_set.h - A set of granules in bounded memory ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace pagetide::tools {

/// Memory that several sets share.
class MemoryBudget {
public:
  explicit MemoryBudget(std::size_t bytes) : left_(bytes) {}
  bool take(std::size_t bytes) {
    if (bytes > left_)
      return false;
    left_ -= bytes;
    return true;
  }
  void give_back(std::size_t bytes) { left_ += bytes; }

private:
  std::size_t left_;
};

/// Counts distinct granules. It has a bitmap for each block of neighbouring
/// granules of which some are in the set. It has one range for neighbouring
/// blocks that are in it as a whole, so a run of 2^40 granules costs no more
/// than a short one. When the budget is spent, further blocks are left out, and
/// the count is a lower bound.
class GranuleSet {
public:
  explicit GranuleSet(MemoryBudget &budget) : budget_(&budget) {}
  GranuleSet(GranuleSet &&) = default;
  ~GranuleSet();

  /// Adds [first, end).
  void insert(std::uint64_t first, std::uint64_t end);

  std::uint64_t count() const { return count_; }
  bool is_lower_bound() const { return left_out_; }

private:
  static constexpr unsigned kBlockShift = 12;
  static constexpr std::uint64_t kBlockGranules = 1u << kBlockShift;
  using Bitmap = std::array<std::uint64_t, kBlockGranules / 64>;
  /// Includes what the map and the allocator need for it.
  static constexpr std::size_t kBitmapBytes = sizeof(Bitmap) + 96;
  static constexpr std::size_t kRangeBytes = 64;

  /// Adds [first, end) of one block.
  void insert_within(std::uint64_t block, std::uint64_t first,
                     std::uint64_t end);
  /// Adds whole blocks.
  void insert_blocks(std::uint64_t first, std::uint64_t end);
  bool is_full(std::uint64_t block) const;

  MemoryBudget *budget_;
  std::map<std::uint64_t, std::unique_ptr<Bitmap>> bitmaps_;
  std::map<std::uint64_t, std::uint64_t> full_; ///< first block -> end block
  std::uint64_t count_ = 0;
  bool left_out_ = false;
  std::uint64_t recent_block_ = UINT64_MAX; ///< most runs are near the last one
  Bitmap *recent_ = nullptr;
};

} // namespace pagetide::tools

//===- granule_set.cpp - A set of granules in bounded memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "analysis/granule_set.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace pagetide::tools {

GranuleSet::~GranuleSet() {
  budget_->give_back(bitmaps_.size() * kBitmapBytes +
                     full_.size() * kRangeBytes);
}

void GranuleSet::insert(std::uint64_t first, std::uint64_t end) {
  if (first >= end)
    return;
  const std::uint64_t first_block = first >> kBlockShift;
  const std::uint64_t last_block = (end - 1) >> kBlockShift;
  if (first_block == last_block && end - first < kBlockGranules) {
    insert_within(first_block, first, end);
    return;
  }
  const std::uint64_t whole_first = (first + kBlockGranules - 1) >> kBlockShift;
  const std::uint64_t whole_end = end >> kBlockShift;
  if (first < whole_first << kBlockShift)
    insert_within(first_block, first, whole_first << kBlockShift);
  if (whole_first < whole_end)
    insert_blocks(whole_first, whole_end);
  if (whole_end << kBlockShift < end)
    insert_within(whole_end, whole_end << kBlockShift, end);
}

bool GranuleSet::is_full(std::uint64_t block) const {
  auto range = full_.upper_bound(block);
  return range != full_.begin() && std::prev(range)->second > block;
}

void GranuleSet::insert_within(std::uint64_t block, std::uint64_t first,
                               std::uint64_t end) {
  if (block != recent_block_) {
    if (is_full(block))
      return;
    auto found = bitmaps_.find(block);
    if (found == bitmaps_.end()) {
      if (!budget_->take(kBitmapBytes)) {
        left_out_ = true;
        return;
      }
      found = bitmaps_.emplace(block, std::make_unique<Bitmap>()).first;
      found->second->fill(0);
    }
    recent_block_ = block;
    recent_ = found->second.get();
  }
  const auto begin_bit = static_cast<unsigned>(first & (kBlockGranules - 1));
  const auto end_bit = begin_bit + static_cast<unsigned>(end - first);
  for (unsigned bit = begin_bit; bit < end_bit;) {
    const unsigned in_word = bit % 64;
    const unsigned bits = std::min(64 - in_word, end_bit - bit);
    const std::uint64_t mask = (~std::uint64_t{0} >> (64 - bits)) << in_word;
    std::uint64_t &word = (*recent_)[bit / 64];
    bit += bits;
    // Most periods access what earlier ones have accessed.
    if (const std::uint64_t added = mask & ~word; added != 0) {
      count_ += static_cast<unsigned>(std::popcount(added));
      word |= mask;
    }
  }
}

void GranuleSet::insert_blocks(std::uint64_t first, std::uint64_t end) {
  // Remove what the new range covers. Then add the range, joined with the
  // ranges that it touches.
  recent_block_ = UINT64_MAX;
  recent_ = nullptr;
  for (auto at = bitmaps_.lower_bound(first);
       at != bitmaps_.end() && at->first < end; at = bitmaps_.erase(at)) {
    for (const std::uint64_t word : *at->second)
      count_ -= static_cast<unsigned>(std::popcount(word));
    budget_->give_back(kBitmapBytes);
  }
  auto at = full_.upper_bound(first);
  if (at != full_.begin() && std::prev(at)->second >= first)
    --at;
  while (at != full_.end() && at->first <= end) {
    first = std::min(first, at->first);
    end = std::max(end, at->second);
    count_ -= (at->second - at->first) * kBlockGranules;
    budget_->give_back(kRangeBytes);
    at = full_.erase(at);
  }
  if (!budget_->take(kRangeBytes)) {
    left_out_ = true;
    return;
  }
  full_.emplace(first, end);
  count_ += (end - first) * kBlockGranules;
}

} // namespace pagetide::tools

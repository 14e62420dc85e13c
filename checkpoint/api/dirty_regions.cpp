//===- dirty_regions.cpp - Protected regions, and what changed in them ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/dirty_regions.h"

#include "pagetide/checkpoint_format.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::size_t kWordBits = 64;

/// Under layout `access` nothing tells reads from writes.
constexpr std::uint32_t kPossiblyWritten = PAGETIDE_WRITTEN |
                                           PAGETIDE_MAY_WRITTEN |
                                           PAGETIDE_CARRIED | PAGETIDE_ACCESSED;

bool bit_of(const std::vector<std::uint64_t> &words, std::size_t bit) {
  return words[bit / kWordBits] >> bit % kWordBits & 1;
}

/// Calls found(first, last + 1) for each run of bits that are set.
template <typename Found>
void for_each_run(const std::vector<std::uint64_t> &words, std::size_t bits,
                  Found found) {
  for (std::size_t at = 0; at < bits;) {
    const std::uint64_t rest = words[at / kWordBits] >> at % kWordBits;
    if (rest == 0) {
      at = (at / kWordBits + 1) * kWordBits;
      continue;
    }
    at += static_cast<std::size_t>(std::countr_zero(rest));
    const std::size_t first = at;
    while (at < bits && bit_of(words, at)) {
      const bool whole_word =
          at % kWordBits == 0 && words[at / kWordBits] == kAll;
      at += whole_word ? kWordBits : 1;
    }
    at = std::min(at, bits);
    if (first < at)
      found(first, at);
  }
}

} // namespace

std::size_t DirtyRegions::granules_of(const Region &region) const {
  const std::uintptr_t last = region.address + region.bytes - 1;
  return last / granule_ - region.address / granule_ + 1;
}

void DirtyRegions::set_granule(std::size_t granule) {
  const std::lock_guard<std::mutex> lock(mutex_);
  granule_ = granule;
  ++changes_;
  for (Region &region : regions_)
    region.dirty.assign(granules_of(region) / kWordBits + 1, kAll);
}

void DirtyRegions::resize(Region &region, std::uint64_t bytes) {
  const std::uint64_t before = region.bytes;
  region.bytes = bytes;
  region.dirty.resize(granules_of(region) / kWordBits + 1, 0);
  if (bytes > before)
    set_bits(region, region.dirty, region.address + before,
             region.address + bytes);
}

DirtyRegions::Change DirtyRegions::protect(std::uint64_t id,
                                           const void *address,
                                           std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (bytes == 0 || begin + bytes < begin)
    return Change::kInvalid;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Region &other : regions_)
    if (other.id != id && begin < other.address + other.bytes &&
        other.address < begin + bytes)
      return Change::kInvalid;
  auto at = std::lower_bound(
      regions_.begin(), regions_.end(), id,
      [](const Region &region, std::uint64_t key) { return region.id < key; });
  if (at != regions_.end() && at->id == id && at->address == begin) {
    if (at->bytes != bytes)
      ++changes_;
    resize(*at, bytes);
    return Change::kDone;
  }
  Region region = {id, begin, bytes, false, {}, {}};
  region.dirty.assign(granules_of(region) / kWordBits + 1, kAll);
  if (at != regions_.end() && at->id == id) {
    *at = std::move(region);
    ++changes_;
    return Change::kDone;
  }
  if (regions_.size() == kMaxRegions)
    return Change::kInvalid;
  regions_.insert(at, std::move(region));
  ++changes_;
  return Change::kDone;
}

DirtyRegions::Change DirtyRegions::unprotect(std::uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at =
      std::find_if(regions_.begin(), regions_.end(),
                   [id](const Region &region) { return region.id == id; });
  if (at == regions_.end())
    return Change::kInvalid;
  regions_.erase(at);
  ++changes_;
  return Change::kDone;
}

std::vector<ProtectedRegion> DirtyRegions::regions() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ProtectedRegion> all;
  all.reserve(regions_.size());
  for (const Region &region : regions_)
    all.push_back({region.id,
                   reinterpret_cast<const std::uint8_t *>(region.address),
                   region.bytes});
  return all;
}

std::uint64_t DirtyRegions::changes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return changes_;
}

void DirtyRegions::set_bits(const Region &region,
                            std::vector<std::uint64_t> &bits,
                            std::uintptr_t begin, std::uintptr_t end) const {
  begin = std::max(begin, region.address);
  end = std::min(end, region.address + region.bytes);
  if (begin >= end)
    return;
  const std::uintptr_t zero = region.address / granule_;
  const std::size_t first = begin / granule_ - zero;
  const std::size_t last = (end - 1) / granule_ - zero;
  for (std::size_t at = first; at <= last;) {
    if (at % kWordBits == 0 && last - at >= kWordBits) {
      bits[at / kWordBits] = kAll;
      at += kWordBits;
    } else {
      bits[at / kWordBits] |= std::uint64_t{1} << at % kWordBits;
      ++at;
    }
  }
}

std::vector<DirtyRegions::Region *> DirtyRegions::by_address() {
  std::vector<Region *> sorted;
  sorted.reserve(regions_.size());
  for (Region &region : regions_)
    sorted.push_back(&region);
  std::sort(sorted.begin(), sorted.end(), [](const Region *a, const Region *b) {
    return a->address < b->address;
  });
  return sorted;
}

void DirtyRegions::note_range(const std::vector<Region *> &sorted,
                              std::uintptr_t begin, std::uintptr_t end) const {
  const bool to_save = noting_to_save_ == std::this_thread::get_id();
  // The first region that ends above the range's begin.
  auto at = std::partition_point(
      sorted.begin(), sorted.end(), [begin](const Region *region) {
        return region->address + region->bytes <= begin;
      });
  for (; at != sorted.end() && (*at)->address < end; ++at) {
    Region &region = **at;
    // A region that was protected anew since has nothing taken.
    const bool is_taken = region.taken.size() == region.dirty.size();
    set_bits(region, to_save && is_taken ? region.taken : region.dirty, begin,
             end);
    region.is_reported = true;
  }
}

void DirtyRegions::note(const pagetide_period &period) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Region *> sorted = by_address();
  for (std::size_t t = 0; t < period.thread_count; ++t) {
    const pagetide_thread_set &set = period.threads[t];
    for (std::size_t i = 0; i < set.run_count; ++i)
      if (set.runs[i].flags & kPossiblyWritten)
        note_range(sorted, set.runs[i].address,
                   set.runs[i].address + set.runs[i].bytes);
  }
}

void DirtyRegions::note_written(std::span<const CopyRange> ranges) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Region *> sorted = by_address();
  for (const CopyRange &range : ranges)
    note_range(sorted, range.begin, range.end);
}

std::vector<std::uint8_t *> DirtyRegions::unreported() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::uint8_t *> addresses;
  for (const Region &region : regions_)
    if (!region.is_reported && !all_reported_)
      addresses.push_back(reinterpret_cast<std::uint8_t *>(region.address));
  return addresses;
}

template <typename Found>
void DirtyRegions::for_each_taken(const Region &region, std::size_t unit,
                                  Found found) const {
  const std::uintptr_t zero = region.address / granule_ * granule_;
  const std::uintptr_t region_end = region.address + region.bytes;
  std::uintptr_t from = 0, to = 0; // no run yet
  for_each_run(region.taken, granules_of(region),
               [&](std::size_t first, std::size_t end) {
                 const std::uintptr_t begins =
                     (zero + first * granule_) / unit * unit;
                 if (begins > to) {
                   if (to != 0)
                     found(from, to);
                   from = std::max(begins, region.address);
                 }
                 const std::uintptr_t ends = zero + end * granule_ + unit - 1;
                 to = std::min(ends / unit * unit, region_end);
               });
  if (to != 0)
    found(from, to);
}

std::size_t DirtyRegions::count_runs(const Region &region,
                                     std::size_t unit) const {
  std::size_t runs = 0;
  for_each_taken(region, unit,
                 [&runs](std::uintptr_t, std::uintptr_t) { ++runs; });
  return runs;
}

void DirtyRegions::add_runs(const Region &region, std::uint32_t index,
                            std::size_t unit, std::size_t most,
                            std::vector<DirtyRun> &runs) const {
  while (unit <= kMaxUnit && runs.size() + count_runs(region, unit) > most)
    unit *= 2;
  if (unit > kMaxUnit) {
    runs.push_back({index, 0, region.bytes});
    return;
  }
  for_each_taken(region, unit, [&](std::uintptr_t from, std::uintptr_t to) {
    runs.push_back({index, from - region.address, to - from});
  });
}

std::vector<DirtyRun> DirtyRegions::begin_save(bool whole, std::size_t unit,
                                               std::size_t most) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<DirtyRun> runs;
  for (std::uint32_t index = 0; index < regions_.size(); ++index) {
    Region &region = regions_[index];
    region.taken = std::move(region.dirty);
    region.dirty.assign(region.taken.size(), 0);
    if (whole || !(region.is_reported || all_reported_))
      runs.push_back({index, 0, region.bytes});
    else
      add_runs(region, index, std::max(unit, granule_), most, runs);
  }
  return runs;
}

void DirtyRegions::note_to_save() {
  const std::lock_guard<std::mutex> lock(mutex_);
  noting_to_save_ = std::this_thread::get_id();
}

void DirtyRegions::end_save(bool success) {
  const std::lock_guard<std::mutex> lock(mutex_);
  noting_to_save_ = {};
  for (Region &region : regions_) {
    const std::size_t words =
        std::min(region.taken.size(), region.dirty.size());
    if (!success)
      for (std::size_t i = 0; i < words; ++i)
        region.dirty[i] |= region.taken[i];
    region.taken = {};
  }
}

void DirtyRegions::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Region &region : regions_)
    std::fill(region.dirty.begin(), region.dirty.end(), 0);
}

} // namespace pagetide::checkpoint

//===- copies_at_cut.cpp - Copies of regions as they were at one instant --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/copies_at_cut.h"

#include "format/error.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace pagetide::checkpoint {

namespace {

/// What stays from one cut to the next, so that the kernel need not give it
/// while the threads stand.
constexpr std::uint64_t kKeptBytes = 16u << 20;
/// The runtime counts places in 32 bits.
constexpr std::uint64_t kMaxPlaces = ~std::uint32_t{0} - 1;

std::uintptr_t address_of(const std::uint8_t *byte) {
  return reinterpret_cast<std::uintptr_t>(byte);
}

void sort_ranges(std::vector<CopyRange> &ranges) {
  std::sort(
      ranges.begin(), ranges.end(),
      [](const CopyRange &a, const CopyRange &b) { return a.begin < b.begin; });
}

void *map(std::uint64_t bytes) {
  void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  // A core file has the program's own pages.
  ::madvise(memory, bytes, MADV_DONTDUMP);
  return memory;
}

bool hold(void *user) {
  return static_cast<CopiesAtCut::Holder *>(user)->hold();
}
void release(void *user) {
  static_cast<CopiesAtCut::Holder *>(user)->release();
}

} // namespace

CopiesAtCut::~CopiesAtCut() { free_room(); }

void CopiesAtCut::free_room() {
  if (mapped_bytes_ != 0)
    ::munmap(request_.bytes, mapped_bytes_);
  if (mapped_address_bytes_ != 0)
    ::munmap(request_.addresses, mapped_address_bytes_);
  mapped_bytes_ = mapped_address_bytes_ = 0;
}

void CopiesAtCut::require_support() {
  if (!pagetide_present())
    throw Error(Problem::kUnsupported,
                "checkpoints of running threads need the runtime, which is "
                "not in this process; build the program with pagetide-clang");
  if (!__pagetide_api_copy_at_cut_v1)
    throw Error(Problem::kUnsupported,
                "libpagetide is not of the same version as "
                "libpagetide-checkpoint; install both from one version");
  if (__pagetide_api_copy_at_cut_v1(nullptr) != PAGETIDE_OK)
    throw Error(
        Problem::kUnsupported,
        "checkpoints of running threads need a program that is instrumented "
        "and recorded by its marks; build it with pagetide-clang");
}

void CopiesAtCut::make_room(std::size_t granule) {
  const std::uint64_t places = std::min<std::uint64_t>(
      std::max<std::uint64_t>(most_bytes_ / granule, 1), kMaxPlaces);
  if (mapped_bytes_ == places * granule)
    return;
  free_room();
  request_.bytes = static_cast<std::uint8_t *>(map(places * granule));
  mapped_bytes_ = places * granule;
  request_.addresses =
      static_cast<std::uintptr_t *>(map(places * sizeof(std::uintptr_t)));
  mapped_address_bytes_ = places * sizeof(std::uintptr_t);
  request_.capacity = places;
}

void CopiesAtCut::copy_again(std::vector<CopyRange> ranges) {
  more_ = std::move(ranges);
  sort_ranges(more_);
  request_.more = more_.data();
  request_.more_count = more_.size();
}

int CopiesAtCut::make(std::span<const ProtectedRegion> regions,
                      std::span<const DirtyRun> more, std::size_t granule,
                      Holder &holder) {
  make_room(granule);
  regions_.clear();
  for (const ProtectedRegion &region : regions)
    regions_.push_back({address_of(region.address),
                        address_of(region.address) + region.bytes});
  sort_ranges(regions_);
  request_.regions = regions_.data();
  request_.region_count = regions_.size();
  std::vector<CopyRange> ranges;
  for (const DirtyRun &run : more) {
    const std::uintptr_t begin =
        address_of(regions[run.region].address) + run.offset;
    ranges.push_back({begin, begin + run.bytes});
  }
  copy_again(std::move(ranges));
  request_.hold = hold;
  request_.release = release;
  request_.user = &holder;
  request_.cut_ns = request_.pause_ns = request_.not_readable = 0;
  request_.count = 0;
  request_.no_cut = nullptr;
  request_.granule = granule;
  return __pagetide_api_copy_at_cut_v1(&request_);
}

const char *CopiesAtCut::reason() const {
  return request_.no_cut ? request_.no_cut : "the recording has ended";
}

void CopiesAtCut::for_each(
    std::span<const ProtectedRegion> regions,
    const std::function<void(std::uint32_t, std::uint64_t,
                             std::span<const std::uint8_t>)> &take) {
  const std::span<const std::uintptr_t> addresses(request_.addresses,
                                                  request_.count);
  std::vector<std::uint32_t> order(request_.count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return addresses[a] < addresses[b];
  });
  for (std::uint32_t index = 0; index < regions.size(); ++index) {
    const std::uintptr_t begin = address_of(regions[index].address);
    const std::uintptr_t end = begin + regions[index].bytes;
    auto at = std::partition_point(
        order.begin(), order.end(), [&](std::uint32_t place) {
          return addresses[place] + request_.granule <= begin;
        });
    for (; at != order.end() && addresses[*at] < end; ++at) {
      const std::uintptr_t from = std::max(addresses[*at], begin);
      const std::uintptr_t to =
          std::min(addresses[*at] + request_.granule, end);
      const std::uint8_t *copy =
          request_.bytes + *at * request_.granule + (from - addresses[*at]);
      take(index, from - begin, {copy, to - from});
    }
  }
}

void CopiesAtCut::give_back() {
  if (mapped_bytes_ > kKeptBytes && bytes() > kKeptBytes)
    ::madvise(request_.bytes + kKeptBytes, mapped_bytes_ - kKeptBytes,
              MADV_DONTNEED);
}

} // namespace pagetide::checkpoint

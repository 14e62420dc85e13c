//===- region_memory.cpp - What regions are made of -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/region_memory.h"

#include "format/error.h"
#include "pagetide/checkpoint_format.h"
#include "store/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace pagetide::checkpoint {

namespace {

constexpr std::uintptr_t kPage = 4096;

struct MappedRange {
  std::uintptr_t begin, end;
  bool is_plain; ///< private, without a file, and may be read
  bool is_shared;
  bool is_anonymous; ///< only this process and those it forks can have it
  std::uint64_t inode, offset;
};

/// By libc, in this process.
std::atomic<bool> has_forked = false;

[[maybe_unused]] const int kWatchesForks = ::pthread_atfork(
    nullptr, [] { has_forked = true; }, [] { has_forked = false; });

/// Sorted. Empty without /proc: then nothing is plain.
std::vector<MappedRange> mapped_ranges() {
  std::vector<MappedRange> ranges;
  std::ifstream maps("/proc/thread-self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t inode = 0;
    std::uint64_t offset = 0;
    char rights[5] = "";
    if (std::sscanf(line.c_str(),
                    "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64
                    " %*x:%*x %" SCNu64,
                    &begin, &end, rights, &offset, &inode) != 5)
      continue;
    const bool is_shared = rights[3] == 's';
    ranges.push_back({begin, end, !is_shared && inode == 0 && rights[0] == 'r',
                      is_shared, line.ends_with("/dev/zero (deleted)"), inode,
                      offset});
  }
  return ranges;
}

/// Whether another mapping has a page of the range, which may be a parent's.
bool any_mapped_twice(const MappedRange &range) {
  constexpr std::uint64_t kPresent = 1ull << 63;
  constexpr std::uint64_t kOnlyHere = 1ull << 56;
  const int fd = ::open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return true;
  const File pagemap = File::of("/proc/thread-self/pagemap", fd);
  std::array<std::uint64_t, 512> entries;
  for (std::uintptr_t page = range.begin / kPage; page < range.end / kPage;) {
    const std::size_t wanted =
        std::min<std::size_t>(entries.size(), range.end / kPage - page);
    const ssize_t got = ::pread(fd, entries.data(), wanted * sizeof(entries[0]),
                                static_cast<off_t>(page * sizeof(entries[0])));
    if (got <= 0)
      return true;
    const std::size_t count = static_cast<std::size_t>(got) / 8;
    for (std::size_t i = 0; i < count; ++i)
      if ((entries[i] & kPresent) != 0 && (entries[i] & kOnlyHere) == 0)
        return true;
    page += count;
  }
  return false;
}

/// Whether somebody else may write it, or the program at another address.
bool may_be_written_elsewhere(const std::vector<MappedRange> &mapped,
                              const MappedRange &range) {
  const auto is_second = [&range](const MappedRange &other) {
    return &other != &range && other.is_anonymous &&
           other.inode == range.inode &&
           other.offset < range.offset + (range.end - range.begin) &&
           range.offset < other.offset + (other.end - other.begin);
  };
  return !range.is_anonymous || has_forked ||
         std::any_of(mapped.begin(), mapped.end(), is_second) ||
         any_mapped_twice(range);
}

std::uintptr_t address_of(const ProtectedRegion &region) {
  return reinterpret_cast<std::uintptr_t>(region.address);
}

[[noreturn]] void refuse_page(const ProtectedRegion &region,
                              std::uintptr_t address, const char *done) {
  std::ostringstream text;
  text << "region " << region.id << " cannot be " << done << " at 0x"
       << std::hex << address << std::dec << ", "
       << address - address_of(region)
       << " bytes from its begin: nothing is mapped there, the rights do not "
          "allow it, or the page lies beyond the end of its file. Protect only "
          "what is there";
  throw Error(Problem::kInvalid, text.str());
}

/// The first byte of the range that cannot be read; `end` if all can.
std::uintptr_t first_unreadable(std::uintptr_t begin, std::uintptr_t end) {
  std::uint8_t byte = 0;
  for (std::uintptr_t at = begin; at < end; at = at / kPage * kPage + kPage)
    if (!read_memory(reinterpret_cast<const std::uint8_t *>(at), {&byte, 1}))
      return at;
  return end;
}

} // namespace

bool read_memory(const std::uint8_t *from, std::span<std::uint8_t> to) {
  const iovec local = {to.data(), to.size()};
  const iovec remote = {const_cast<std::uint8_t *>(from), to.size()};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(to.size());
}

RegionMemory::RegionMemory(std::span<const ProtectedRegion> regions)
    : regions_(regions) {
  const std::vector<MappedRange> mapped = mapped_ranges();
  for (const ProtectedRegion &region : regions) {
    const std::uintptr_t begin = address_of(region);
    const std::uintptr_t end = begin + region.bytes;
    std::uintptr_t at = begin; // all is plain up to here
    auto range = std::partition_point(
        mapped.begin(), mapped.end(),
        [begin](const MappedRange &one) { return one.end <= begin; });
    for (; range != mapped.end() && range->begin < end; ++range) {
      if (range->is_plain && range->begin <= at)
        at = range->end;
      if (range->is_shared && may_be_written_elsewhere(mapped, *range))
        shared_.push_back(
            {std::max(range->begin, begin), std::min(range->end, end)});
    }
    is_plain_.push_back(at >= end);
  }
}

std::vector<CopyRange> RegionMemory::of_files() const {
  std::vector<CopyRange> ranges;
  for (std::size_t i = 0; i < regions_.size(); ++i)
    if (!is_plain_[i])
      ranges.push_back({address_of(regions_[i]),
                        address_of(regions_[i]) + regions_[i].bytes});
  return ranges;
}

void RegionMemory::require_readable() const {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const std::uintptr_t begin = address_of(regions_[i]);
    const std::uintptr_t end = begin + regions_[i].bytes;
    if (is_plain_[i])
      continue;
    const std::uintptr_t bad = first_unreadable(begin, end);
    if (bad != end)
      refuse_page(regions_[i], bad, "read");
  }
}

void RegionMemory::read(
    const DirtyRun &run,
    const std::function<void(std::span<const std::uint8_t>)> &take) const {
  const ProtectedRegion &region = regions_[run.region];
  const std::uint8_t *from = region.address + run.offset;
  if (is_plain_[run.region])
    return take({from, run.bytes});
  std::vector<std::uint8_t> copy(
      std::min<std::uint64_t>(run.bytes, kBlockBytes));
  for (std::uint64_t at = 0; at < run.bytes; at += copy.size()) {
    const auto now = std::span(copy).first(
        std::min<std::uint64_t>(copy.size(), run.bytes - at));
    if (!read_memory(from + at, now)) {
      const auto begin = reinterpret_cast<std::uintptr_t>(from + at);
      refuse_page(region, first_unreadable(begin, begin + now.size()), "read");
    }
    take(now);
  }
}

void RegionMemory::write(std::uint32_t region, std::uint64_t offset,
                         std::span<const std::uint8_t> bytes) const {
  auto *to = const_cast<std::uint8_t *>(regions_[region].address) + offset;
  if (is_plain_[region]) {
    std::memcpy(to, bytes.data(), bytes.size());
    return;
  }
  const iovec local = {const_cast<std::uint8_t *>(bytes.data()), bytes.size()};
  const iovec remote = {to, bytes.size()};
  const ssize_t done =
      ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0);
  if (done != static_cast<ssize_t>(bytes.size()))
    refuse_page(regions_[region],
                reinterpret_cast<std::uintptr_t>(to) +
                    static_cast<std::uintptr_t>(std::max<ssize_t>(done, 0)),
                "written");
}

} // namespace pagetide::checkpoint

//===- region_memory.cpp - What regions are made of -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/region_memory.h"

#include "format/error.h"
#include "pagetide/checkpoint_format.h"
#include "store/file.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr std::uintptr_t kPage = 4096;

struct MappedRange {
  std::uintptr_t begin, end;
  bool is_open; ///< may be read and written
  bool is_shared, has_file;
  std::pair<std::string, std::uint64_t> file; ///< device, inode

  /// Only this process writes it, and only at these addresses.
  bool is_plain() const { return is_open && !is_shared && !has_file; }
};

/// Sorted. Empty without /proc: then nothing is plain.
std::vector<MappedRange> mapped_ranges() {
  std::vector<MappedRange> ranges;
  std::ifstream maps("/proc/thread-self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t inode = 0;
    char rights[5] = "", device[32] = "";
    if (std::sscanf(line.c_str(),
                    "%" SCNxPTR "-%" SCNxPTR " %4s %*x %31s %" SCNu64, &begin,
                    &end, rights, device, &inode) == 5)
      ranges.push_back({begin,
                        end,
                        rights[0] == 'r' && rights[1] == 'w',
                        rights[3] == 's',
                        inode != 0,
                        {device, inode}});
  }
  return ranges;
}

/// Whether the range is of the program's file, which nobody can write while it
/// runs (ETXTBSY).
bool is_of_program(const std::vector<MappedRange> &mapped,
                   const MappedRange &range) {
  const std::uintptr_t headers = ::getauxval(AT_PHDR);
  const auto program = std::find_if(
      mapped.begin(), mapped.end(), [headers](const MappedRange &one) {
        return one.begin <= headers && headers < one.end;
      });
  return program != mapped.end() && program->file == range.file;
}

/// Of a private mapping of a file, appends the pages that are still the file's:
/// whoever writes the file writes them.
void append_not_copied(std::uintptr_t begin, std::uintptr_t end,
                       std::vector<CopyRange> &ranges) {
  constexpr std::uint64_t kPresent = 1ull << 63, kSwapped = 1ull << 62;
  constexpr std::uint64_t kOfFile = 1ull << 61;
  const int fd = ::open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
  const File pagemap = File::of("/proc/thread-self/pagemap", fd);
  std::array<std::uint64_t, 512> entries;
  for (std::uintptr_t page = begin / kPage * kPage; page < end;) {
    const std::size_t wanted =
        std::min<std::size_t>(entries.size(), (end - page + kPage - 1) / kPage);
    const ssize_t got =
        ::pread(fd, entries.data(), wanted * sizeof(entries[0]),
                static_cast<off_t>(page / kPage * sizeof(entries[0])));
    if (got <= 0) { // nobody knows
      ranges.push_back({std::max(page, begin), end});
      return;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(got) / 8;
         ++i, page += kPage) {
      const bool is_copied = (entries[i] & (kPresent | kSwapped)) != 0 &&
                             (entries[i] & kOfFile) == 0;
      if (!is_copied)
        ranges.push_back({std::max(page, begin), std::min(page + kPage, end)});
    }
  }
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

std::size_t write_memory(std::uint8_t *to, std::span<const std::uint8_t> from) {
  const iovec local = {const_cast<std::uint8_t *>(from.data()), from.size()};
  const iovec remote = {to, from.size()};
  const ssize_t done =
      ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0);
  return static_cast<std::size_t>(std::max<ssize_t>(done, 0));
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
      const CopyRange part = {std::max(range->begin, begin),
                              std::min(range->end, end)};
      if (range->is_plain() && range->begin <= at)
        at = range->end;
      if (range->is_shared)
        shared_.push_back(part);
      else if (range->has_file && !is_of_program(mapped, *range))
        append_not_copied(part.begin, part.end, shared_);
    }
    is_plain_.push_back(at >= end);
  }
}

bool RegionMemory::is_shared(const std::uint8_t *address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return std::any_of(
      shared_.begin(), shared_.end(),
      [at](const CopyRange &one) { return one.begin <= at && at < one.end; });
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
  const std::size_t done = write_memory(to, bytes);
  if (done != bytes.size())
    refuse_page(regions_[region], reinterpret_cast<std::uintptr_t>(to) + done,
                "written");
}

} // namespace pagetide::checkpoint

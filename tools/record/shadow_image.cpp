//===- shadow_image.cpp - Reads the memfd that a process left behind ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/shadow_image.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pagetide::tools {

using shadow_file::ChunkKind;
using shadow_file::kChunkBytes;
using shadow_file::kMaxPendingPeriods;
using shadow_file::kMaxSlots;
using shadow_file::kWordsPerChunk;
using shadow_file::StagedWord;
using shadow_file::StagingChunk;

namespace {

constexpr std::size_t kReadBytes = 1 << 20;

} // namespace

ShadowImage::ShadowImage(int memfd, const std::string &name)
    // Open it again: seeking must not move the offset of another process.
    : fd_(::open(fmt::format("/proc/self/fd/{}", memfd).c_str(),
                 O_RDONLY | O_CLOEXEC)),
      name_(name) {
  if (!fd_)
    throw Failure("{}: its shadow cannot be opened: {}", name,
                  std::strerror(errno));
  struct stat status;
  if (::fstat(fd_.get(), &status) != 0)
    throw Failure("{}: its shadow cannot be examined: {}", name,
                  std::strerror(errno));
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size_ < sizeof(header_))
    reject("it is too small");
  read(&header_, sizeof(header_), 0);

  if (header_.magic != shadow_file::kMagic)
    reject("it does not begin as a shadow does");
  if (header_.version != shadow_file::kVersion)
    reject(fmt::format("its layout has version {}, this pagetide knows "
                       "version {}; use the pagetide that belongs to the "
                       "program's runtime",
                       header_.version, shadow_file::kVersion));
  if (header_.layout >= abi::kPlainLayoutCount)
    reject(fmt::format("shadow layout {} is unknown", header_.layout));
  if (header_.granule_shift < abi::kMinGranuleShift ||
      header_.granule_shift > abi::kMaxGranuleShift ||
      header_.cell_shift < abi::kMinGranuleShift ||
      header_.unit_shift < header_.granule_shift ||
      header_.unit_shift > abi::kMaxGranuleShift ||
      !abi::is_precision(header_.cell_shift, header_.granule_shift) ||
      (header_.with_sites && header_.cell_shift != header_.granule_shift))
    reject(fmt::format("cells of 2^{}, granules of 2^{} and units of 2^{} "
                       "bytes are not possible",
                       header_.cell_shift, header_.granule_shift,
                       header_.unit_shift));
  if (header_.slot_table_offset < sizeof(header_) ||
      header_.slot_table_offset > size_ ||
      kMaxSlots * sizeof(shadow_file::SlotEntry) >
          size_ - header_.slot_table_offset)
    reject("its slot table lies outside it");
  if (header_.chunks_offset > size_ ||
      header_.chunk_count > (size_ - header_.chunks_offset) / kChunkBytes)
    reject("its staging area lies outside it");
  if (header_.slots_offset > size_ || header_.slot_bytes == 0 ||
      header_.slot_bytes % 8 != 0)
    reject("its slots lie outside it");
  if (header_.chunk_tail > header_.chunk_head ||
      header_.chunk_base > header_.chunk_tail ||
      header_.chunk_head - header_.chunk_tail > header_.chunk_count)
    reject("its staging counters contradict each other");
  if (header_.periods_written > header_.open_period ||
      header_.open_period - header_.periods_written > kMaxPendingPeriods)
    reject("its period counters contradict each other");

  slots_.resize(kMaxSlots);
  read(slots_.data(), slots_.size() * sizeof(slots_[0]),
       header_.slot_table_offset);
  if (is_watching())
    read_watched();
}

void ShadowImage::read_watched() {
  constexpr std::uint64_t kTableBytes =
      shadow_file::kMaxWatched * sizeof(shadow_file::WatchedRange);
  const std::uint64_t count = header_.watch & ~(shadow_file::kWatching |
                                                shadow_file::kWatchSecondTable);
  if (count > shadow_file::kMaxWatched || header_.watch_tables_offset > size_ ||
      size_ - header_.watch_tables_offset < 2 * kTableBytes)
    reject("its table of watched regions lies outside it");
  const bool second = header_.watch & shadow_file::kWatchSecondTable;
  watched_.resize(count);
  read(watched_.data(), count * sizeof(watched_[0]),
       header_.watch_tables_offset + (second ? kTableBytes : 0));
  std::uint64_t end = 0;
  for (const shadow_file::WatchedRange &range : watched_) {
    if (range.begin < end || range.end <= range.begin)
      reject("its watched regions are not in order");
    end = range.end;
  }
}

void ShadowImage::reject(const std::string &reason) const {
  throw Failure("{}: its shadow cannot be used: {}", name_, reason);
}

void ShadowImage::read(void *buffer, std::uint64_t bytes,
                       std::uint64_t offset) const {
  auto *out = static_cast<std::uint8_t *>(buffer);
  while (bytes != 0) {
    const ssize_t got =
        ::pread(fd_.get(), out, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      reject(std::strerror(errno));
    if (got == 0)
      reject("it became shorter while it was read");
    out += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::uint64_t>(got);
  }
}

void ShadowImage::for_each_extent(std::uint64_t begin, std::uint64_t end,
                                  const ExtentVisitor &visit) const {
  end = std::min(end, size_);
  while (begin < end) {
    const off_t data = ::lseek(fd_.get(), static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0 && errno == ENXIO)
      return;
    if (data < 0)
      reject(std::strerror(errno));
    if (static_cast<std::uint64_t>(data) >= end)
      return;
    const off_t hole = ::lseek(fd_.get(), data, SEEK_HOLE);
    if (hole < 0)
      reject(std::strerror(errno));
    const std::uint64_t stop = std::min(static_cast<std::uint64_t>(hole), end);
    // An empty extent means that another process changes the file.
    if (stop <= static_cast<std::uint64_t>(data))
      reject("it changes while it is read");
    visit(static_cast<std::uint64_t>(data), stop);
    begin = stop;
  }
}

void ShadowImage::for_each_chunk(std::uint64_t period,
                                 const ChunkVisitor &visit) const {
  std::vector<StagedWord> words(kWordsPerChunk);
  const auto visit_chunk = [&](std::uint64_t position) {
    const std::uint64_t offset = header_.chunks_offset + position * kChunkBytes;
    struct {
      std::uint64_t period;
      std::uint32_t tid;
      std::uint32_t kind;
      std::uint32_t count;
    } chunk;
    static_assert(offsetof(StagingChunk, count) == 16);
    read(&chunk, sizeof(chunk), offset);
    if (chunk.period != period || chunk.count == 0)
      return;
    const std::uint32_t count = std::min(chunk.count, kWordsPerChunk);
    read(words.data(), count * sizeof(StagedWord),
         offset + offsetof(StagingChunk, words));
    ChunkKind kind = ChunkKind::kMarks;
    for (const ChunkKind other : {ChunkKind::kCarried, ChunkKind::kSites})
      if (chunk.kind == static_cast<std::uint32_t>(other))
        kind = other;
    visit(chunk.tid, kind, std::span(words).first(count));
  };
  // Positions [first, end) of the ring. Skip those that have no pages: a wrong
  // count must not cost one read per position.
  const auto visit_positions = [&](std::uint64_t first, std::uint64_t end) {
    std::uint64_t next = first;
    for_each_extent(header_.chunks_offset + first * kChunkBytes,
                    header_.chunks_offset + end * kChunkBytes,
                    [&](std::uint64_t from, std::uint64_t to) {
                      const std::uint64_t begin =
                          (from - header_.chunks_offset) / kChunkBytes;
                      const std::uint64_t stop =
                          (to - header_.chunks_offset + kChunkBytes - 1) /
                          kChunkBytes;
                      for (next = std::max(next, begin); next < stop; ++next)
                        visit_chunk(next);
                    });
  };
  const std::uint64_t in_use = header_.chunk_head - header_.chunk_tail;
  if (in_use == 0)
    return;
  const std::uint64_t first =
      (header_.chunk_tail - header_.chunk_base) % header_.chunk_count;
  const std::uint64_t before_wrap =
      std::min(in_use, header_.chunk_count - first);
  visit_positions(first, first + before_wrap);
  visit_positions(0, in_use - before_wrap);
}

void ShadowImage::for_each_marked_word(const WordVisitor &visit) const {
  std::vector<std::uint64_t> buffer(kReadBytes / 8);
  const std::uint64_t begin = header_.slots_offset;
  std::uint64_t end;
  if (__builtin_mul_overflow(header_.slot_bytes, std::uint64_t{kMaxSlots},
                             &end) ||
      __builtin_add_overflow(begin, end, &end))
    end = size_;
  for_each_extent(begin, end, [&](std::uint64_t from, std::uint64_t to) {
    // Words are counted from the begin of the slots, which may be inside a
    // page.
    std::uint64_t at = begin + (from - begin) / 8 * 8;
    to = begin + (to - begin + 7) / 8 * 8;
    to = std::min(to, begin + (size_ - begin) / 8 * 8);
    while (at < to) {
      const std::uint64_t bytes = std::min<std::uint64_t>(kReadBytes, to - at);
      read(buffer.data(), bytes, at);
      for (std::uint64_t i = 0; i < bytes / 8; ++i) {
        if (buffer[i] == 0)
          continue;
        const std::uint64_t offset = at - begin + i * 8;
        const auto slot =
            static_cast<std::uint32_t>(offset / header_.slot_bytes);
        const std::uint64_t in_slot = offset % header_.slot_bytes / 8;
        abi::PlainWord plain = {in_slot, buffer[i]};
        if (header_.with_sites) {
          plain = abi::plain_word(in_slot, buffer[i]);
          visit(slot, ChunkKind::kSites, {in_slot, buffer[i]});
        }
        abi::for_each_unit_word(static_cast<abi::Layout>(header_.layout),
                                header_.unit_shift - header_.cell_shift,
                                is_near(), plain.word, plain.value,
                                [&](std::uint64_t word, std::uint64_t value) {
                                  visit(slot, ChunkKind::kMarks, {word, value});
                                  return true;
                                });
      }
      at += bytes;
    }
  });
}

} // namespace pagetide::tools

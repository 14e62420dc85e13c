//===- shadow_file_maker.cpp - Makes the memfd that a dead process leaves -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow_file_maker.h"

#include "sample_traces.h"
#include "support/failure.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace pagetide::tools {

using namespace shadow_file;

ShadowFileMaker::ShadowFileMaker(Geometry geometry, bool per_thread,
                                 std::uint64_t chunk_count)
    : geometry_(geometry), fd_(::memfd_create("shadow", MFD_CLOEXEC)) {
  constexpr std::uint64_t kPage = 4096;
  const auto rounded = [](std::uint64_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
  };
  header.magic = kMagic;
  header.version = kVersion;
  header.pid = 4242;
  header.layout = static_cast<std::uint32_t>(geometry.layout);
  header.cell_shift = geometry.cell_shift;
  header.granule_shift = header.unit_shift = geometry.granule_shift;
  header.per_thread = per_thread;
  header.slot_table_offset = rounded(sizeof(header));
  header.chunks_offset =
      rounded(header.slot_table_offset + kMaxSlots * sizeof(SlotEntry));
  header.chunk_count = chunk_count;
  header.slots_offset = header.chunks_offset + chunk_count * kChunkBytes;
  header.slot_bytes = abi::shadow_bytes(geometry.layout, geometry.cell_shift);
  header.recording = 1;
  header.slot_high = 2; // the main thread has one, be it empty
  if (!fd_ ||
      ::ftruncate(fd_.get(), static_cast<off_t>(header.slots_offset +
                                                64 * header.slot_bytes)) != 0)
    throw Failure("the test's shadow file cannot be made");
  save();
}

void ShadowFileMaker::write(const void *data, std::size_t bytes,
                            std::uint64_t offset) {
  if (::pwrite(fd_.get(), data, bytes, static_cast<off_t>(offset)) !=
      static_cast<ssize_t>(bytes))
    throw Failure("the test's shadow file cannot be written");
}

void ShadowFileMaker::save() { write(&header, sizeof(header), 0); }

void ShadowFileMaker::set_slot(std::uint32_t slot, SlotState state,
                               std::uint32_t tid) {
  SlotEntry entry = {};
  entry.state = static_cast<std::uint32_t>(state);
  entry.tid = tid;
  write(&entry, sizeof(entry),
        header.slot_table_offset + slot * sizeof(SlotEntry));
  header.slot_high = std::max(header.slot_high, slot + 1);
  save();
}

void ShadowFileMaker::set_inflight(std::uint32_t slot, std::uint64_t address,
                                   std::uint64_t bytes,
                                   shadow_file::InFlightKind kind) {
  const shadow_file::InFlightRange range = {address, bytes};
  write(&range, sizeof(range),
        header.slot_table_offset + slot * sizeof(SlotEntry) +
            offsetof(SlotEntry, inflight) +
            static_cast<std::uint32_t>(kind) * sizeof(range));
}

std::uint64_t ShadowFileMaker::cell(std::uint64_t address,
                                    unsigned which) const {
  return (address >> geometry_.cell_shift) *
             abi::cells_per_index(geometry_.layout) +
         which;
}

void ShadowFileMaker::mark(std::uint32_t slot, std::uint64_t cell,
                           std::uint8_t value) {
  write(&value, 1, header.slots_offset + slot * header.slot_bytes + cell);
}

void ShadowFileMaker::mark_read(std::uint32_t slot, std::uint64_t address,
                                std::uint8_t value) {
  mark(slot, cell(address, abi::read_cell(geometry_.layout)), value);
}

void ShadowFileMaker::mark_written(std::uint32_t slot, std::uint64_t address,
                                   std::uint8_t value) {
  mark(slot, cell(address, abi::write_cell(geometry_.layout)), value);
}

void ShadowFileMaker::set_period_index(std::uint64_t number,
                                       std::uint64_t index,
                                       std::uint32_t flags) {
  PeriodEntry &entry = period(number);
  const PeriodPart times = sample_period(index);
  entry = {};
  entry.index = index;
  entry.start_ns = times.start_ns;
  entry.end_ns = number == header.open_period ? 0 : times.end_ns;
  entry.flags = flags;
  save();
}

void ShadowFileMaker::stage(std::uint64_t period, std::uint32_t tid,
                            const std::vector<StagedWord> &words,
                            ChunkKind kind) {
  StagingChunk chunk = {};
  chunk.period = period;
  chunk.tid = tid;
  chunk.kind = static_cast<std::uint32_t>(kind);
  chunk.count = static_cast<std::uint32_t>(words.size());
  std::copy(words.begin(), words.end(), chunk.words);
  const std::uint64_t position =
      (header.chunk_head - header.chunk_base) % header.chunk_count;
  write(&chunk, sizeof(chunk), header.chunks_offset + position * kChunkBytes);
  ++header.chunk_head;
  save();
}

StagedWord ShadowFileMaker::word(const std::vector<std::uint64_t> &read,
                                 const std::vector<std::uint64_t> &written,
                                 std::uint8_t value) const {
  StagedWord staged = {};
  const auto add = [&](std::uint64_t cell) {
    staged.word = cell / 8;
    staged.value |= std::uint64_t{value} << (cell % 8 * 8);
  };
  for (const std::uint64_t address : read)
    add(cell(address, abi::read_cell(geometry_.layout)));
  for (const std::uint64_t address : written)
    add(cell(address, abi::write_cell(geometry_.layout)));
  return staged;
}

} // namespace pagetide::tools

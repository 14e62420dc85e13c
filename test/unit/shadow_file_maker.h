//===- shadow_file_maker.h - Makes the memfd that a dead process leaves ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"
#include "trace/trace_records.h"

#include "pagetide/shadow_file.h"

#include <cstdint>
#include <vector>

namespace pagetide::tools {

/// A shadow file, made as the runtime lays it out, in all its parts under the
/// test's control. save() must follow changes of `header`.
class ShadowFileMaker {
public:
  explicit ShadowFileMaker(Geometry geometry = {}, bool per_thread = false,
                           std::uint64_t chunk_count = 8);

  shadow_file::ShadowHeader header = {};
  void save();

  int fd() const { return fd_.get(); }
  void write(const void *data, std::size_t bytes, std::uint64_t offset);

  void set_slot(std::uint32_t slot, shadow_file::SlotState state,
                std::uint32_t tid);
  void set_inflight(
      std::uint32_t slot, std::uint64_t address, std::uint64_t bytes,
      shadow_file::InFlightKind kind = shadow_file::InFlightKind::kBuffer);

  /// Marks the granule of the address in a slot's shadow.
  void mark_read(std::uint32_t slot, std::uint64_t address,
                 std::uint8_t value = abi::kCellMarked);
  void mark_written(std::uint32_t slot, std::uint64_t address,
                    std::uint8_t value = abi::kCellMarked);

  /// The entry of period number `number` in the header.
  shadow_file::PeriodEntry &period(std::uint64_t number) {
    return header.periods[number % shadow_file::kMaxPendingPeriods];
  }
  /// Fills the entry: the period of that index has 500 ms somewhere after the
  /// samples' start. It is still open if it is header.open_period.
  void set_period(std::uint64_t number, std::uint32_t flags = 0) {
    set_period_index(number, number, flags);
  }
  void set_period_index(std::uint64_t number, std::uint64_t index,
                        std::uint32_t flags = 0);

  /// Stages words for a period in the next chunk of the ring.
  void stage(std::uint64_t period, std::uint32_t tid,
             const std::vector<shadow_file::StagedWord> &words,
             shadow_file::ChunkKind kind = shadow_file::ChunkKind::kMarks);

  /// The word that marks the granules of the addresses, all in one word.
  shadow_file::StagedWord word(const std::vector<std::uint64_t> &read,
                               const std::vector<std::uint64_t> &written,
                               std::uint8_t value = abi::kCellMarked) const;

private:
  std::uint64_t cell(std::uint64_t address, unsigned which) const;
  void mark(std::uint32_t slot, std::uint64_t cell, std::uint8_t value);

  Geometry geometry_;
  UniqueFd fd_;
};

} // namespace pagetide::tools

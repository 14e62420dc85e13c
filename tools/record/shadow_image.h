//===- shadow_image.h - Reads the memfd that a process left behind --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory file was mapped in a program that may have damaged it before it
// died. Every number in it is checked before use.

#pragma once

#include "support/unique_fd.h"
#include "trace/trace_records.h"

#include "pagetide/shadow_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pagetide::tools {

class ShadowImage {
public:
  /// `name` is the process's name in messages. Throws Failure if the content is
  /// impossible, or has another version.
  ShadowImage(int memfd, const std::string &name);

  const shadow_file::ShadowHeader &header() const { return header_; }
  /// Its granules are the units that are reported.
  Geometry geometry() const {
    return {static_cast<abi::Layout>(header_.layout), header_.cell_shift,
            header_.unit_shift};
  }
  /// Whether granules have several cells.
  bool is_near() const { return header_.cell_shift != header_.granule_shift; }
  /// Whether cells hold ids of sites.
  bool has_sites() const { return header_.with_sites; }
  const std::vector<shadow_file::SlotEntry> &slots() const { return slots_; }

  /// Whether only granules in watched() are to be reported.
  bool is_watching() const { return header_.watch & shadow_file::kWatching; }
  /// Sorted and disjoint.
  const std::vector<shadow_file::WatchedRange> &watched() const {
    return watched_;
  }

  /// The entry of a staged period. The header's counters number the periods;
  /// the entry's index is the period's number in the trace.
  const shadow_file::PeriodEntry &period(std::uint64_t number) const {
    return header_.periods[number % shadow_file::kMaxPendingPeriods];
  }

  using ChunkVisitor =
      std::function<void(std::uint32_t tid, shadow_file::ChunkKind kind,
                         std::span<const shadow_file::StagedWord> words)>;
  /// Visits the chunks that are staged for the period with this index.
  void for_each_chunk(std::uint64_t period, const ChunkVisitor &visit) const;

  using WordVisitor =
      std::function<void(std::uint32_t slot, shadow_file::ChunkKind kind,
                         shadow_file::StagedWord word)>;
  /// Visits the words that are not zero, in the shadows of all slots, as words
  /// of kMarks. If cells hold ids of sites, also as words of kSites.
  void for_each_marked_word(const WordVisitor &visit) const;

private:
  using ExtentVisitor =
      std::function<void(std::uint64_t begin, std::uint64_t end)>;
  /// Visits the parts of [begin, end) that have pages.
  void for_each_extent(std::uint64_t begin, std::uint64_t end,
                       const ExtentVisitor &visit) const;
  void read_watched();
  void read(void *buffer, std::uint64_t bytes, std::uint64_t offset) const;
  [[noreturn]] void reject(const std::string &reason) const;

  UniqueFd fd_;
  std::string name_;
  std::uint64_t size_ = 0;
  shadow_file::ShadowHeader header_ = {};
  std::vector<shadow_file::SlotEntry> slots_;
  std::vector<shadow_file::WatchedRange> watched_;
};

} // namespace pagetide::tools

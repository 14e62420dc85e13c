//===- period_builder.h - From cells of the shadow to a period's sections -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"

#include "pagetide/shadow_file.h"

#include <cstdint>
#include <map>
#include <vector>

namespace pagetide::tools {

/// Collects the marks of one period from the shadows and the staging area, in
/// any order. The same mark may come several times. Makes sorted sections of
/// them.
class PeriodBuilder {
public:
  explicit PeriodBuilder(Geometry geometry) : geometry_(geometry) {}

  /// Adds a word of sites (kSites). Ignores what add_word ignores.
  void add_sites(std::uint32_t tid, shadow_file::StagedWord word);

  /// Adds eight cells, with one cell of each kind per granule, as they are
  /// staged. Ignores empty words, and words beyond the address space.
  void add_word(std::uint32_t tid, shadow_file::ChunkKind kind,
                shadow_file::StagedWord word);

  /// Adds a range that a system call may have been writing. Ignores the part
  /// beyond the address space.
  void add_maybe_written(std::uint32_t tid, std::uint64_t address,
                         std::uint64_t bytes);

  /// Adds the sections to the period, in the order of their tids. The builder
  /// is empty afterwards.
  void build(PeriodPart &period);
  /// The same for the sites.
  void build(PeriodSites &sites);

private:
  struct Thread {
    std::vector<shadow_file::StagedWord> marks;
    std::vector<shadow_file::StagedWord> carried;
    std::vector<GranuleRun> maybe_written;
  };

  std::vector<GranuleRun>
  runs_of_words(std::vector<shadow_file::StagedWord> &words,
                shadow_file::ChunkKind kind) const;

  Geometry geometry_;
  std::map<std::uint32_t, Thread> threads_;
  /// Words of sites by their numbers, by thread.
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> sites_;
};

} // namespace pagetide::tools

//===- differences.h - What two runs are asked, and where they differ -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/selection.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

namespace pagetide::tools {

struct DiffOptions {
  bool relative = false; ///< align pages by mapping and offset
  bool whole = false;    ///< compare whole runs, not periods
  /// Mappings whose differences do not count.
  std::set<std::string> ignored;
  Selection selection;
  std::size_t top = 10; ///< differences to keep
};

/// What became of what two runs have, or one of them.
struct Tally {
  std::uint64_t equal = 0;
  std::uint64_t different = 0;
  std::uint64_t only_a = 0;
  std::uint64_t only_b = 0;
  /// It is possible that they are equal: an access is not certain, a checksum
  /// is not stable, a period is lost.
  std::uint64_t open = 0;

  std::uint64_t differences() const { return different + only_a + only_b; }
  void add(const Tally &other);
};

enum class DifferenceKind {
  kProcess,  ///< only one run has the process
  kPeriod,   ///< only one run has the period
  kAccess,   ///< both accessed the page, one by reads only or writes only
  kPage,     ///< only one run accessed the page
  kChecksum, ///< the contents differ
};

/// One place where two runs differ.
struct Difference {
  DifferenceKind kind = DifferenceKind::kPage;
  std::size_t pair = 0;
  bool in_a = true; ///< which runs have it
  bool in_b = true;
  std::uint64_t period = 0;
  std::uint64_t start_ns = 0; ///< of the period, since the run's start
  std::size_t thread = 0;     ///< by order of start; 0: all threads
  /// Of neighbouring granules the first, in each run that has it.
  std::uint64_t granule_a = 0;
  std::uint64_t granule_b = 0;
  std::uint64_t granules = 0;
  std::string mapping;  ///< and offset, in the words of PagePlaces
  unsigned flags_a = 0; ///< certain ones
  unsigned flags_b = 0;
  std::uint64_t hash_a = 0;
  std::uint64_t hash_b = 0;
  bool ignored = false;

  auto order() const {
    return std::tuple(start_ns, pair, period, in_a ? granule_a : granule_b,
                      kind, thread);
  }
};

/// Differences in one mapping.
struct MappingDifferences {
  std::uint64_t only_a = 0;
  std::uint64_t only_b = 0;
  std::uint64_t accesses = 0;
  std::uint64_t checksums = 0;
  bool ignored = false;

  std::uint64_t sum() const { return only_a + only_b + accesses + checksums; }
};

/// Of one process, or of all.
struct ComparedFigures {
  Tally periods;
  Tally accesses; ///< granules, summed over periods
  Tally checksums;
  Tally pages; ///< distinct ones, of the whole run
  Tally final_checksums;
  /// Checksums of granules that were unmapped in both runs before they could be
  /// read. There were no contents to compare.
  std::uint64_t gone = 0;
  std::uint64_t final_gone = 0;
  /// Of the equal checksums, those of contents that are equal but for addresses
  /// which moved with their mappings, and for random words of the kernel.
  std::uint64_t shifted = 0;
  std::uint64_t final_shifted = 0;
  /// Whether every differing checksum has a relative one beside it.
  bool shifts_are_known = true;
  std::uint64_t ignored = 0; ///< differences in ignored mappings
  std::uint64_t unplaced = 0;
  bool pages_left_out = false;
  std::uint64_t cut_periods = 0;

  void add(const ComparedFigures &other);
};

} // namespace pagetide::tools

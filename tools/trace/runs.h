//===- runs.h - Sets of granules as lists of runs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "trace/trace_records.h"

#include <cstdint>
#include <vector>

namespace pagetide::tools {

inline constexpr unsigned kCertainFlags =
    trace::kRunRead | trace::kRunWritten | trace::kRunAccessed;
inline constexpr unsigned kMayFlags =
    trace::kRunMayRead | trace::kRunMayWritten;

/// The flags of accesses that are certain and of this period. 0 if the run's
/// accesses are all only possible, or carried over.
constexpr unsigned certain_flags(unsigned flags) {
  return flags & kCertainFlags;
}

/// What is only possible, by the flags of the same accesses if they were
/// certain: kRunRead and kRunWritten (both under layout access). None of these
/// is certain.
inline unsigned possible_flags(unsigned flags) {
  unsigned possible = 0;
  if (flags & trace::kRunMayRead)
    possible |= trace::kRunRead;
  if (flags & trace::kRunMayWritten)
    possible |= trace::kRunWritten;
  return possible & ~certain_flags(flags);
}

/// Drops flags that others make needless or untrue. A certain access says more
/// than a possible one. A granule that was written in this period is not only
/// carried.
unsigned normalized_flags(unsigned flags);

/// Adds a run that does not begin before the list's last one ends. Joins the
/// two if they touch and have the same flags.
void append_run(std::vector<GranuleRun> &runs, std::uint64_t first,
                std::uint64_t count, unsigned flags);

/// Adds those of the runs whose accesses are certain, without other flags.
void append_certain(std::vector<GranuleRun> &runs,
                    std::span<const GranuleRun> all);

/// The union of two lists, each sorted and without overlap. If both have a
/// granule, its flags are or-ed and normalized.
std::vector<GranuleRun> merge_runs(std::span<const GranuleRun> a,
                                   std::span<const GranuleRun> b);

/// The union over all threads of a part of a period, as one list. Uses
/// `scratch` for it unless the part has only one section or is final.
std::span<const GranuleRun> union_of_sections(const PeriodPart &part,
                                              std::vector<GranuleRun> &scratch);

/// Looks up the checksums of a part's granules, in ascending order.
class ChecksumLookup {
public:
  explicit ChecksumLookup(const PeriodPart &part) : part_(part) {}

  /// The state of `granule`. Lowers `until` to the granule where the state
  /// changes. If the state is stable, `hashes` points to the granule's hash.
  trace::ChecksumState at(std::uint64_t granule, std::uint64_t &until,
                          const std::uint64_t *&hashes);

private:
  const PeriodPart &part_;
  std::size_t next_ = 0;
  std::size_t hashes_before_ = 0;
};

} // namespace pagetide::tools

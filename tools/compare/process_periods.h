//===- process_periods.h - The periods of a process, to be compared -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/selection.h"
#include "compare/page_places.h"
#include "trace/trace_records.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pagetide::tools {

/// Neighbouring granules with one state of their checksums.
struct HashedRun {
  ChecksumRun run;
  std::size_t first_hash = 0; ///< in ComparedPeriod::hashes, if it is stable
};

/// A whole period. Granules are named by keys, which mean the same in both
/// runs: their numbers or, if pages are aligned by mappings, what PlaceNumbers
/// makes of their places.
struct ComparedPeriod {
  std::uint64_t index = 0;
  std::uint64_t start_ns = 0; ///< since the run's start
  bool is_driven = false;     ///< the program ended it
  /// By threads, in the order of their starts: 0 for all threads together and
  /// for those without a set of their own, 1 for the first one. Sorted by key.
  std::map<std::size_t, std::vector<GranuleRun>> threads;
  std::vector<HashedRun> checksums; ///< sorted by key
  std::vector<std::uint64_t> hashes;
  /// As many, if the trace has them. They do not depend on addresses.
  std::vector<std::uint64_t> relative_hashes;

  /// Nothing if the trace has none.
  std::optional<std::uint64_t> relative_hash(std::size_t at) const {
    return at < relative_hashes.size() ? std::optional(relative_hashes[at])
                                       : std::nullopt;
  }
};

struct ReadOptions {
  bool by_thread = false;
  /// Aligns pages by mapping and offset. Otherwise by address.
  PlaceNumbers *numbers = nullptr;
};

/// Reads the periods of a trace one by one.
class ProcessPeriods {
public:
  /// A period's content that is more than this is left out.
  static constexpr std::size_t kMaxPeriodBytes = 384u << 20;

  ProcessPeriods(SelectedTrace &trace, const ReadOptions &options);
  ProcessPeriods(const ProcessPeriods &) = delete;

  /// Reads the next whole period. False at the end.
  bool next(ComparedPeriod &period);

  const SelectedTrace &trace() const { return trace_; }
  const PagePlaces &places() const { return places_; }
  /// Granules that are in no mapping that was listed, and so were left out.
  std::uint64_t unplaced() const { return unplaced_; }
  /// Periods with more content than there is memory for.
  std::uint64_t cut_periods() const { return cut_periods_; }
  /// Whether address space randomisation was off.
  bool has_fixed_addresses() const { return has_fixed_addresses_; }
  /// How many periods the clock ended.
  std::uint64_t clock_periods() const { return clock_periods_; }

  /// The granule of a key.
  std::uint64_t granule_of(std::uint64_t key) const;
  /// Where the key's granule lies. Null if no list tells.
  const Place *place_of(std::uint64_t key) const;
  /// "[heap] + 0x3000", as far as it is known.
  std::string words(std::uint64_t key) const;

private:
  void watch(const Frame &frame);
  const PagePlaces &later_places() const;
  bool has_room_for(const PeriodPart &part) const;
  void take_accesses(const PeriodPart &part, ComparedPeriod &period);
  void take_checksums(const PeriodPart &part, ComparedPeriod &period);
  std::size_t thread_number(std::uint32_t tid);
  template <typename Visit>
  void keyed(std::uint64_t first, std::uint64_t end, Visit visit);

  SelectedTrace &trace_;
  ReadOptions options_;
  PagePlaces places_;
  /// All places of this trace. A mapping may be listed only after the first
  /// period in which its pages were accessed.
  mutable std::optional<PagePlaces> later_places_;
  std::unordered_map<std::uint32_t, std::size_t> threads_;
  std::size_t thread_count_ = 0;
  /// By number of a place: its anchor. For granule_of().
  std::map<std::uint64_t, std::uint64_t> anchors_;
  std::size_t bytes_ = 0; ///< of the period that is being read
  std::vector<GranuleRun> scratch_;
  std::uint64_t unplaced_ = 0;
  std::uint64_t cut_periods_ = 0;
  std::uint64_t clock_periods_ = 0;
  bool has_fixed_addresses_ = false;
};

} // namespace pagetide::tools

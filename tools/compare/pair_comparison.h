//===- pair_comparison.h - Where two processes differ ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/page_table.h"
#include "analysis/report_limits.h"
#include "compare/differences.h"
#include "compare/process_periods.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// What two layouts can both tell.
struct AccessView {
  bool tells_writes = true;
  bool records_reads = true;

  /// Certain accesses: kRunRead and kRunWritten, or kRunAccessed.
  unsigned certain(unsigned flags) const;
  /// Accesses that are possible or certain.
  unsigned possible(unsigned flags) const;
};

/// Compares a process of run A with one of run B.
class PairComparison {
public:
  PairComparison(ProcessPeriods &a, ProcessPeriods &b, AccessView view,
                 const DiffOptions &options, bool by_periods, std::size_t pair);

  /// Reads both traces to their ends.
  void run();

  const ComparedFigures &figures() const { return figures_; }
  const std::map<std::string, MappingDifferences> &mappings() const {
    return mappings_;
  }
  /// The first ones, by period and key.
  std::vector<Difference> take_differences() { return std::move(found_); }

private:
  /// What a run did with a granule in all its periods.
  struct WholeSide {
    std::uint64_t hash = 0; ///< the last one
    std::uint64_t relative = 0;
    bool has_relative = false;
    std::uint8_t flags = 0;
    std::uint8_t state = 0; ///< of the last checksum
  };
  struct WholePage {
    WholeSide sides[2];
  };
  /// A period that one run has and the other lacks.
  struct LonePeriods {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t start_ns;
    bool in_a;
  };

  void keep(const ComparedPeriod &period, std::size_t side);
  void add_lone(const ComparedPeriod &period, bool in_a);
  void count_lone();
  void compare(const ComparedPeriod &a, const ComparedPeriod &b);
  void compare_accesses(std::size_t thread, std::span<const GranuleRun> a,
                        std::span<const GranuleRun> b);
  void compare_checksums(const ComparedPeriod &a, const ComparedPeriod &b);
  void compare_whole();
  void take_access(std::uint64_t key, std::uint64_t granules, unsigned flags_a,
                   unsigned flags_b, std::size_t thread, Tally &tally);
  /// A checksum, and if the trace has it the one without addresses.
  struct Content {
    std::uint64_t hash;
    std::optional<std::uint64_t> relative;
  };
  static Content content_of(const ComparedPeriod &period, const HashedRun &run,
                            std::uint64_t key);
  static Content content_of(const WholeSide &side);
  void take_checksum(std::uint64_t key, const Content &a, const Content &b,
                     std::uint64_t &shifted, Tally &tally);
  bool is_ignored(const Place *place) const;
  void count(Difference difference, std::uint64_t key, Tally &tally,
             std::uint64_t Tally::*kind);
  void sort_by_key();
  void end_period();

  ProcessPeriods &a_;
  ProcessPeriods &b_;
  AccessView view_;
  const DiffOptions &options_;
  bool by_periods_;
  std::size_t pair_;
  ComparedFigures figures_;
  std::map<std::string, MappingDifferences> mappings_;
  std::vector<Difference> found_;
  PageTable<WholePage> whole_{kTableBytes};
  std::vector<LonePeriods> lone_;
  std::uint64_t lone_left_out_ = 0;
  /// Of the period that is being compared.
  std::uint64_t period_ = 0;
  std::uint64_t start_ns_ = 0;
  std::uint64_t differences_ = 0;
  std::vector<std::pair<std::uint64_t, Difference>> in_period_;
};

} // namespace pagetide::tools

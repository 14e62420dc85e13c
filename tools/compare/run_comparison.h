//===- run_comparison.h - Where two runs differ ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "compare/differences.h"
#include "compare/process_pairs.h"
#include "report/run_report.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

enum class Verdict {
  kEqual,
  kDifferent,
  kUndecided, ///< no difference was found, and not all could be compared
};

/// One of the two runs.
struct ComparedRun {
  std::vector<RunReport::Trace> traces; ///< in the order of their starts
  bool has_fixed_addresses = true;
  bool has_checksums = false;
  std::uint64_t clock_periods = 0;

  bool is_complete() const;
};

/// Compares the processes of two runs.
class RunComparison {
public:
  /// Reads the traces. Throws Failure if one cannot be read, or if the runs
  /// cannot be compared.
  RunComparison(const std::vector<std::string> &a,
                const std::vector<std::string> &b, const DiffOptions &options);

  const DiffOptions &options() const { return options_; }
  const ComparedRun &a() const { return a_; }
  const ComparedRun &b() const { return b_; }
  /// With what both runs tell.
  const Units &units() const { return units_; }
  unsigned granule_shift() const { return units_.granule_shift; }

  Verdict verdict() const;
  /// Whether periods were compared. Otherwise why not: the user's wish, or the
  /// runs' periods differ in length.
  bool by_periods() const { return by_periods_; }
  bool lengths_differ() const { return lengths_differ_; }
  bool by_thread() const { return by_thread_; }

  const std::vector<ProcessPair> &pairs() const { return pairs_; }
  const std::vector<ComparedFigures> &figures() const { return figures_; }
  /// Of all pairs, and how many processes have one.
  const ComparedFigures &sum() const { return sum_; }
  const Tally &processes() const { return processes_; }
  const std::map<std::string, MappingDifferences> &mappings() const {
    return mappings_;
  }
  /// The first ones.
  const std::vector<Difference> &differences() const { return differences_; }

private:
  void check_headers(const std::vector<std::string> &a,
                     const std::vector<std::string> &b);
  void compare(const ProcessPair &pair, std::uint64_t start_a,
               std::uint64_t start_b);
  void sort_differences();

  DiffOptions options_;
  ComparedRun a_;
  ComparedRun b_;
  std::vector<RunProcess> processes_a_;
  std::vector<RunProcess> processes_b_;
  std::vector<ProcessPair> pairs_;
  std::vector<ComparedFigures> figures_;
  ComparedFigures sum_;
  Tally processes_;
  std::map<std::string, MappingDifferences> mappings_;
  std::vector<Difference> differences_;
  Units units_;
  bool by_periods_ = true;
  bool lengths_differ_ = false;
  bool by_thread_ = true;
};

/// When the first process of a run began to record.
std::uint64_t start_of(std::span<const RunProcess> processes);

} // namespace pagetide::tools

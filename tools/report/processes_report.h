//===- processes_report.h - The processes of a run, side by side ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/granule_set.h"
#include "analysis/report_limits.h"
#include "analysis/shared_memory.h"
#include "report/run_report.h"
#include "support/json.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// What one process accessed.
struct ProcessFigures {
  std::uint64_t peak = 0;     ///< granules in its largest period
  std::uint64_t granules = 0; ///< distinct
  std::uint64_t written = 0;  ///< distinct
  std::uint64_t start_ns = 0; ///< since the run's start
  std::uint64_t end_ns = 0;   ///< of its last period
  bool is_lower_bound = false;
};

class ProcessesReport : public RunReport {
public:
  /// Of each trace, in the order of traces().
  const std::vector<ProcessFigures> &processes() const { return processes_; }
  /// Distinct addresses of granules that any process accessed.
  std::uint64_t addresses() const { return addresses_.count(); }
  /// What they share. Call it after all traces were added.
  const SharedMemory::Figures &shared() const;
  /// Indices, in the order of the table.
  std::vector<std::size_t> sorted() const;

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  const char *kind() const override { return "processes"; }
  std::string title() const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  /// Indices, those with the most granules first.
  std::vector<std::size_t> largest() const;
  void write_totals(ReportLines &out) const;
  void write_shared(ReportLines &out) const;
  void write_table(ReportLines &out) const;

  std::vector<ProcessFigures> processes_;
  MemoryBudget budget_{kSetBytes};
  GranuleSet addresses_{budget_};
  mutable SharedMemory memory_;
  mutable std::optional<SharedMemory::Figures> shared_;
};

} // namespace pagetide::tools

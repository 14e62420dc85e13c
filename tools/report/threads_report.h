//===- threads_report.h - Private and shared pages of threads -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/report_limits.h"
#include "analysis/sharing.h"
#include "report/run_report.h"
#include "support/json.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Distinct granules of one thread.
struct ThreadFigures {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string name;
  std::uint64_t periods = 0; ///< in which it accessed anything
  std::uint64_t granules = 0;
  std::uint64_t written = 0; ///< by it
  std::uint64_t alone = 0;   ///< that no other thread accessed
  /// That another thread accessed too, and that at least one thread wrote.
  std::uint64_t contested = 0;

  std::uint64_t shared() const { return granules - alone; }
};

class ThreadsReport : public RunReport {
public:
  explicit ThreadsReport(std::size_t table_bytes = kTableBytes)
      : table_bytes_(table_bytes) {}

  /// In the order in which the traces have them.
  const std::vector<ThreadFigures> &threads() const { return threads_; }

  /// A square of granules: the thread of the row, by the thread of the column.
  struct Matrix {
    /// That both accessed; of a thread and itself: that it alone accessed.
    std::vector<std::vector<std::uint64_t>> accessed;
    /// That the row's thread wrote and the column's accessed; of a thread and
    /// itself: that it wrote and no other accessed.
    std::vector<std::vector<std::uint64_t>> written;
  };
  /// Of the threads with these indices in threads().
  Matrix sharing(const std::vector<std::size_t> &threads) const;

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  const char *kind() const override { return "threads"; }
  std::string title() const override;
  void check(const SelectedTrace &trace) const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  void write_threads(ReportLines &out) const;
  void write_matrix(ReportLines &out, const std::vector<std::size_t> &shown,
                    const std::vector<std::vector<std::uint64_t>> &cells,
                    const std::string &heading) const;
  void write_totals(ReportLines &out) const;
  /// Indices of the threads, those with the most granules first.
  std::vector<std::size_t> largest() const;
  /// The first ones of the table.
  std::vector<std::size_t> first(std::size_t top) const;

  std::size_t table_bytes_;
  std::vector<ThreadFigures> threads_;
  ThreadSets sets_;
  SharingCounts counts_;
  bool is_lower_bound_ = false;
};

} // namespace pagetide::tools

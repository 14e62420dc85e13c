//===- checksums_report.h - What writes changed, and what they did not ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/report_limits.h"
#include "report/run_report.h"
#include "support/json.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pagetide::tools {

/// What the checksum of a granule says of a period.
enum class ChecksumResult {
  kChanged,    ///< another content than the one last known
  kEqual,      ///< the same content, though the granule was written
  kFirst,      ///< no earlier content is known
  kUnmarked,   ///< another content, though no write is certain
  kOnlyRead,   ///< the same content, and no write is certain
  kUnstable,   ///< written while it was read
  kGone,       ///< unmapped before it could be read
  kUnreadable, ///< mapped without permission to read
};
inline constexpr std::size_t kChecksumResults = 8;

/// How many granules had each result, summed over periods.
struct ChecksumCounts {
  std::array<std::uint64_t, kChecksumResults> counts = {};

  std::uint64_t &of(ChecksumResult result) {
    return counts[static_cast<std::size_t>(result)];
  }
  std::uint64_t of(ChecksumResult result) const {
    return counts[static_cast<std::size_t>(result)];
  }
  void add(const ChecksumCounts &other);
  std::uint64_t all() const;
  /// Where the content before is known, and the granule was written.
  std::uint64_t rewritten() const {
    return of(ChecksumResult::kChanged) + of(ChecksumResult::kEqual);
  }
};

/// Distinct granules that had the result at least once.
using ChecksumGranules = ChecksumCounts;

class ChecksumsReport : public RunReport {
public:
  static constexpr std::size_t kRows = 20;

  explicit ChecksumsReport(std::size_t max_rows = kRows,
                           std::size_t table_bytes = kTableBytes)
      : max_rows_(max_rows < 2 ? 2 : max_rows), table_bytes_(table_bytes) {}

  const ChecksumCounts &sums() const { return sums_; }
  const ChecksumGranules &distinct() const { return distinct_; }
  /// Distinct granules that were rewritten, and never changed by it.
  std::uint64_t never_changed() const { return never_changed_; }
  const std::map<std::string, ChecksumCounts> &mappings() const {
    return mappings_;
  }
  const std::vector<ChecksumCounts> &stretches() const { return stretches_; }

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  using Entry = std::pair<const std::string, ChecksumCounts>;

  const char *kind() const override { return "checksums"; }
  std::string title() const override;
  void check(const SelectedTrace &trace) const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  void add_period(std::uint64_t middle_ns, const ChecksumCounts &period);
  void write_results(ReportLines &out) const;
  void write_stretches(ReportLines &out) const;
  void write_mappings(ReportLines &out) const;
  /// Those with the most rewritten granules first.
  std::vector<const Entry *> busiest() const;

  std::size_t max_rows_;
  std::size_t table_bytes_;
  ChecksumCounts sums_;
  ChecksumGranules distinct_;
  std::uint64_t never_changed_ = 0;
  std::map<std::string, ChecksumCounts> mappings_;
  std::vector<ChecksumCounts> stretches_; ///< of equal length
  std::uint64_t stretch_ns_ = 0;
  std::uint64_t from_ns_ = 0;
  bool is_lower_bound_ = false;
};

} // namespace pagetide::tools

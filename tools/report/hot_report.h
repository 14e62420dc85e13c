//===- hot_report.h - How often, and how lately, pages were accessed ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/report_limits.h"
#include "report/run_report.h"
#include "support/json.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Neighbouring granules of one mapping that were accessed in equally many
/// periods.
struct HotRange {
  std::uint64_t first = 0; ///< granule
  std::uint64_t count = 0;
  std::uint64_t periods = 0;
  std::uint64_t written = 0; ///< periods, of the one that was written most
  /// Periods from the last access to any of them to the process's last period.
  std::uint64_t age = 0;
  std::string mapping;
  std::uint32_t pid = 0;
};

/// Granules by a number: 0, 1, 2 to 3, 4 to 7, and so on.
class Octaves {
public:
  struct Count {
    std::uint64_t granules = 0;
    std::uint64_t written = 0; ///< at least once
  };
  void add(std::uint64_t number, bool is_written);
  /// From 0 to the octave of the largest number.
  std::size_t size() const;
  const Count &operator[](std::size_t octave) const { return counts_[octave]; }
  static std::uint64_t first_of(std::size_t octave);
  /// The largest number that was added, if the octave has it.
  std::uint64_t last_of(std::size_t octave) const;

private:
  std::array<Count, 65> counts_ = {};
  std::uint64_t largest_ = 0;
};

class HotReport : public RunReport {
public:
  explicit HotReport(std::size_t table_bytes = kTableBytes)
      : table_bytes_(table_bytes) {}

  const Octaves &by_periods() const { return by_periods_; }
  const Octaves &by_age() const { return by_age_; }
  /// The hottest first.
  const std::vector<HotRange> &ranges() const { return ranges_; }

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  const char *kind() const override { return "hot"; }
  std::string title() const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  void write_octaves(ReportLines &out, const std::string &heading,
                     const Octaves &octaves, bool is_age) const;
  void write_ranges(ReportLines &out) const;
  void add_range(HotRange range);
  void keep_hottest();

  std::size_t table_bytes_;
  Octaves by_periods_;
  Octaves by_age_;
  std::vector<HotRange> ranges_;
  std::uint64_t range_count_ = 0;
  bool is_lower_bound_ = false;
};

} // namespace pagetide::tools

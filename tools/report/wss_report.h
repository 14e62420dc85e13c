//===- wss_report.h - The working set over time, and its distribution -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/access_counts.h"
#include "analysis/distribution.h"
#include "analysis/window_estimate.h"
#include "report/run_report.h"
#include "support/json.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pagetide::tools {

/// How many of the periods are not larger than a size.
struct WssShare {
  const char *name;
  const char *key; ///< in JSON
  double share;
};
std::span<const WssShare> wss_shares();
std::uint64_t size_at(const Distribution &counts, const WssShare &share);

/// What happened to the working set in a stretch of time.
struct WssStretch {
  std::uint64_t periods = 0; ///< whose middle lies in it
  /// A period covers its middle, or has its own middle in it. Otherwise marks
  /// were off, or the trace lacks it.
  bool known = false;
  /// Of the largest of its periods; of several processes their sum.
  AccessCounts counts;
  /// Granules summed over its periods: not accessed by any earlier period; and
  /// accessed by the period before, but not by this one.
  std::uint64_t fresh = 0;
  std::uint64_t left = 0;
};

/// Equal stretches of time. Their length doubles whenever there would be too
/// many. Times are relative to the begin of the first stretch.
class WssTimeline {
public:
  WssTimeline(std::uint64_t length_ns, std::size_t max_stretches);

  /// Adds the figures of one period to the stretch in which its middle lies. A
  /// long period's size also counts for other stretches whose middle it covers.
  void add_period(std::uint64_t start_ns, std::uint64_t end_ns,
                  const WssStretch &period);
  /// Adds another process's figures, stretch by stretch.
  void add_process(WssTimeline process);

  std::uint64_t length_ns() const { return length_ns_; }
  const std::vector<WssStretch> &stretches() const { return stretches_; }

private:
  void double_length();
  std::size_t stretch_at(std::uint64_t time_ns);

  std::uint64_t length_ns_;
  std::size_t max_stretches_;
  std::vector<WssStretch> stretches_;
};

class WssReport : public RunReport {
public:
  static constexpr std::size_t kRows = 20;

  explicit WssReport(std::size_t max_rows = kRows) : max_rows_(max_rows) {}

  const Distribution &accessed() const { return accessed_; }
  const Distribution &read() const { return read_; }
  const Distribution &written() const { return written_; }
  const std::vector<WssStretch> &stretches() const {
    return timeline_->stretches();
  }
  std::uint64_t distinct() const { return distinct_; }
  bool is_lower_bound() const { return is_lower_bound_; }

  std::span<const ReportColumn> columns() const override;

private:
  class Taker;

  const char *kind() const override { return "wss"; }
  std::string title() const override;
  std::unique_ptr<TraceTaker> start(SelectedTrace &trace) override;
  void write_text(ReportLines &out) const override;
  void write_json(Json &out) const override;
  std::vector<ReportRow> rows() const override;

  void write_shares(ReportLines &out) const;
  void write_sizes(ReportLines &out) const;
  void write_changes(ReportLines &out) const;
  void write_estimate(ReportLines &out) const;
  void write_rest(ReportLines &out) const;
  /// When a stretch begins, since the run's start.
  std::uint64_t start_of(std::size_t stretch) const;

  std::size_t max_rows_;
  Distribution accessed_;
  Distribution read_;
  Distribution written_;
  std::optional<WssTimeline> timeline_; ///< nothing before the first trace
  std::uint64_t shortest_ns_ = 0;       ///< a stretch's first length
  std::uint64_t from_ns_ = 0;
  std::uint64_t distinct_ = 0;
  bool is_lower_bound_ = false;
  std::uint64_t may_ = 0;
  std::size_t processes_ = 0;
  std::optional<WindowEstimate> estimate_; ///< of the only process
};

} // namespace pagetide::tools

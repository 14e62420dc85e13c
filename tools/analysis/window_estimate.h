//===- window_estimate.h - Working sets from windows of marks -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/granule_set.h"
#include "analysis/mapping_names.h"
#include "support/json.h"
#include "trace/frame_decoder.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pagetide::tools {

/// The mean of a sample, and where the mean of all probably lies: by Student's
/// distribution, at 95 % confidence (docs/using/production.md).
class MeanEstimate {
public:
  void add(double value);
  std::uint64_t samples() const { return samples_; }
  double mean() const { return mean_; }
  double low() const { return std::max(0.0, mean_ - half_width()); }
  double high() const { return mean_ + half_width(); }

private:
  double half_width() const;

  std::uint64_t samples_ = 0;
  double mean_ = 0;
  double squares_ = 0; ///< of the distances from the mean, summed
};

/// Takes a recording in windows apart. A window is whole if each thread that
/// was there at its begin is exact, by what the trace says, from some moment on
/// (trace::ThreadEvent::kExactSince). What the periods after that moment
/// accessed is a sample of the working set.
class WindowEstimate {
public:
  /// Frames other than periods, as they come.
  void see(const Frame &frame);
  /// A period with marks on, and what it accessed.
  void add_period(const PeriodTime &period,
                  std::span<const GranuleRun> accessed);
  void finish() { end_window(); }

  std::uint64_t windows() const { return windows_; }
  std::uint64_t whole() const { return sizes_.samples(); }
  /// How long the exact parts of whole windows are on average.
  std::uint64_t mean_ns() const {
    return whole() == 0 ? 0 : exact_ns_ / whole();
  }
  const MeanEstimate &sizes() const { return sizes_; }
  /// As docs/reference/cli-output.md describes it.
  Json json() const;

private:
  struct Thread {
    std::uint64_t start_ns = 0;
    std::optional<std::uint64_t> exact_since; ///< in this window
  };
  /// The distinct granules of the periods that may be exact.
  struct Sample {
    MemoryBudget budget{std::size_t{64} << 20};
    GranuleSet granules{budget};
  };

  void note_exact(const ThreadRecord &record);
  void begin_window(std::uint64_t time_ns);
  void end_window();
  void forget_periods_before(std::uint64_t time_ns);

  std::map<std::uint32_t, Thread> threads_; ///< that live
  std::vector<ThreadRecord> waiting_;       ///< for the next period
  bool open_ = false;
  bool lost_thread_ = false; ///< one ended, and nobody knows how exact it was
  std::uint64_t begin_ns_ = 0;
  std::uint64_t exact_from_ns_ = 0; ///< of the first period in the sample
  std::uint64_t end_ns_ = 0;
  std::unique_ptr<Sample> sample_;

  std::uint64_t windows_ = 0;
  std::uint64_t exact_ns_ = 0; ///< of whole windows
  MeanEstimate sizes_;
};

} // namespace pagetide::tools

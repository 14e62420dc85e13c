//===- period_tracker.h - Page sets, and whether any is missing -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "api/dirty_regions.h"
#include "pagetide/pagetide.h"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <mutex>

namespace pagetide::checkpoint {

/// Passes the page set of every period on to DirtyRegions. Knows whether these
/// sets together have all that was written: recording may end, begin anew, or
/// be another's.
class PeriodTracker {
public:
  explicit PeriodTracker(DirtyRegions &regions) : regions_(regions) {}
  PeriodTracker(const PeriodTracker &) = delete;

  /// Starts to record if nobody does. own_callback: the program passes periods
  /// on itself.
  void start(bool own_callback);
  void stop();

  /// From now on these get every period too; null: no longer.
  void note_also(DirtyRegions *also);

  /// In the period callback.
  void note(const pagetide_period &period);

  /// Ends the running period by end(), which gives a pagetide_status. True if
  /// the sets since the last call of this function are complete. Throws Error
  /// (kBusy).
  bool end_period(const std::function<int()> &end = pagetide_period_end);
  /// Whether they are, as far as is known by now.
  bool is_complete();

private:
  static void callback(const pagetide_period *period, void *user);

  DirtyRegions &regions_;
  pid_t pid_ = 0;
  bool own_callback_ = false;
  bool has_started_recording_ = false;

  std::mutex mutex_; ///< of what the callback changes
  std::uint64_t calls_ = 0;
  std::uint64_t last_index_ = 0;
  std::uint64_t granule_ = 0; ///< 0: no period was seen yet
  DirtyRegions *also_ = nullptr;
  bool is_complete_ = false;
};

} // namespace pagetide::checkpoint

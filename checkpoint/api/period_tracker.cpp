//===- period_tracker.cpp - Page sets, and whether any is missing ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/period_tracker.h"

#include "format/error.h"

#include <unistd.h>

namespace pagetide::checkpoint {

namespace {

/// Without a clock: only saves end periods.
int start_recording() {
  pagetide_config config = {};
  config.size = sizeof(config);
  return pagetide_start(&config);
}

} // namespace

void PeriodTracker::callback(const pagetide_period *period, void *user) {
  auto *tracker = static_cast<PeriodTracker *>(user);
  // A child of fork has the callback too, and perhaps a mutex that is locked.
  if (::getpid() == tracker->pid_)
    tracker->note(*period);
}

void PeriodTracker::note(const pagetide_period &period) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Periods are missing if another recording has begun, or if someone else had
  // the callback for a while.
  if (calls_ != 0 && period.index != last_index_ + 1)
    is_complete_ = false;
  if (period.granule != granule_) {
    granule_ = period.granule;
    regions_.set_granule(period.granule);
    if (also_)
      also_->set_granule(period.granule);
  }
  regions_.note(period);
  if (also_)
    also_->note(period);
  // What is written after the final period is in no set.
  if (period.flags & PAGETIDE_PERIOD_FINAL)
    is_complete_ = false;
  last_index_ = period.index;
  ++calls_;
}

void PeriodTracker::note_also(DirtyRegions *also) {
  const std::lock_guard<std::mutex> lock(mutex_);
  also_ = also;
  if (also && granule_ != 0)
    also->set_granule(granule_);
}

void PeriodTracker::start(bool own_callback) {
  own_callback_ = own_callback;
  pid_ = ::getpid();
  if (!own_callback)
    pagetide_on_period(callback, this);
  has_started_recording_ = start_recording() == PAGETIDE_OK;
  end_period();
}

void PeriodTracker::stop() {
  if (!own_callback_)
    pagetide_on_period(nullptr, nullptr);
  if (has_started_recording_)
    pagetide_stop();
}

bool PeriodTracker::is_complete() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_complete_;
}

bool PeriodTracker::end_period(const std::function<int()> &end) {
  std::uint64_t calls_before = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_before = calls_;
  }
  // Not while we hold the mutex: the callback wants it.
  const int status = end();
  if (status == PAGETIDE_BUSY)
    throw Error(Problem::kBusy, "called in a period callback; save or restore "
                                "after it has returned");
  if (status == PAGETIDE_NOT_RECORDING && start_recording() == PAGETIDE_OK)
    has_started_recording_ = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool was_called = status == PAGETIDE_OK && calls_ != calls_before;
  const bool complete = is_complete_ && was_called;
  // From this boundary on nothing is missing, as far as is known.
  is_complete_ = was_called;
  return complete;
}

} // namespace pagetide::checkpoint

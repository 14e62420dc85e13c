//===- background.cpp - Checkpoints that a clock makes --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/background.h"

#include "store/threads.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pagetide::checkpoint {

namespace {

/// How often a period tries. A busy machine may not let threads stand at once.
constexpr int kTries = 3;
constexpr auto kBetweenTries = std::chrono::milliseconds(5);

} // namespace

Background::Background(Save save, Describe describe)
    : save_(std::move(save)), describe_(describe) {}

void Background::start(std::uint64_t period_ns, pagetide_checkpoint_done done,
                       void *user) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    period_ = std::chrono::nanoseconds(period_ns);
    done_ = done;
    user_ = user;
    is_new_period_ = true;
    ends_ = false;
  }
  changed_.notify_all();
  if (!thread_.joinable())
    thread_ = thread_without_signals([this] { run(); });
}

void Background::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

bool Background::is_own_thread() const {
  return thread_.get_id() == std::this_thread::get_id();
}

pagetide_checkpoint_counts Background::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

//===- The thread ---------------------------------------------------------===//

/// False if it is to end, or if the period has changed.
bool Background::sleep_until(Clock::time_point when) {
  std::unique_lock<std::mutex> lock(mutex_);
  return !changed_.wait_until(lock, when,
                              [this] { return ends_ || is_new_period_; });
}

void Background::run() {
  Clock::time_point due = {};
  Clock::duration period = {};
  for (;;) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (ends_)
        return;
      if (is_new_period_)
        due = Clock::now() + period_;
      is_new_period_ = false;
      period = period_;
    }
    if (!sleep_until(due))
      continue;
    const Skipped skipped = end_of_period();
    due += period;
    // Periods that ended meanwhile have no checkpoint either.
    const Clock::time_point now = Clock::now();
    const auto missed = now <= due ? 0 : (now - due) / period + 1;
    due += missed * period;
    const auto periods = static_cast<std::uint64_t>(missed);
    if (skipped.status != PAGETIDE_CHECKPOINT_OK)
      count_skipped(1 + periods, skipped);
    else if (periods != 0)
      count_skipped(periods,
                    {PAGETIDE_CHECKPOINT_BUSY,
                     "an earlier period's checkpoint was still being made; a "
                     "longer period or a faster disk would help"});
  }
}

Background::Skipped Background::end_of_period() {
  for (int tries = 1;; ++tries) {
    pagetide_checkpoint_result result = {};
    result.size = sizeof(result);
    Skipped skipped;
    bool is_new = false;
    try {
      is_new = save_(result);
    } catch (...) {
      skipped.status = describe_(skipped.text);
    }
    if (skipped.status == PAGETIDE_CHECKPOINT_OK)
      count_saved(is_new, result);
    if (skipped.status != PAGETIDE_CHECKPOINT_NO_CUT || tries == kTries ||
        !sleep_until(Clock::now() + kBetweenTries))
      return skipped;
  }
}

void Background::count_saved(bool is_new,
                             const pagetide_checkpoint_result &result) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++(is_new ? counts_.made : counts_.unchanged);
  counts_.skipped_since = 0;
  counts_.longest_pause_ns =
      std::max(counts_.longest_pause_ns, result.pause_ns);
  counts_.last_status = PAGETIDE_CHECKPOINT_OK;
  counts_.last_message[0] = 0;
  const pagetide_checkpoint_done done = done_;
  void *user = user_;
  lock.unlock();
  if (done)
    done(user, PAGETIDE_CHECKPOINT_OK, "", &result);
}

void Background::count_skipped(std::uint64_t periods, const Skipped &skipped) {
  std::unique_lock<std::mutex> lock(mutex_);
  counts_.skipped += periods;
  counts_.skipped_since += periods;
  counts_.last_status = skipped.status;
  const std::size_t bytes =
      std::min(skipped.text.size(), sizeof(counts_.last_message) - 1);
  std::memcpy(counts_.last_message, skipped.text.data(), bytes);
  counts_.last_message[bytes] = 0;
  const pagetide_checkpoint_done done = done_;
  void *user = user_;
  lock.unlock();
  const pagetide_checkpoint_result nothing = {};
  if (done)
    done(user, skipped.status, skipped.text.c_str(), &nothing);
}

} // namespace pagetide::checkpoint

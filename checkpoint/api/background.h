//===- background.h - Checkpoints that a clock makes ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/checkpoint.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace pagetide::checkpoint {

/// A thread that saves at the end of each period.
class Background {
public:
  /// Makes a checkpoint. False if nothing had changed. Throws Error and
  /// std::bad_alloc.
  using Save = std::function<bool(pagetide_checkpoint_result &)>;
  /// The status and the text of the exception that is being handled.
  using Describe = int (*)(std::string &text);

  Background(Save save, Describe describe);
  ~Background() { stop(); }
  Background(const Background &) = delete;

  /// Starts the thread if it does not run. Throws std::bad_alloc if it cannot.
  void start(std::uint64_t period_ns, pagetide_checkpoint_done done,
             void *user);
  /// Waits for the checkpoint that is being made.
  void stop();
  /// Whether the calling thread is the one that saves.
  bool is_own_thread() const;

  pagetide_checkpoint_counts counts() const;

private:
  using Clock = std::chrono::steady_clock;

  /// Why a period has no checkpoint.
  struct Skipped {
    int status = PAGETIDE_CHECKPOINT_OK; ///< it has one
    std::string text;
  };

  void run();
  Skipped end_of_period();
  void count_saved(bool is_new, const pagetide_checkpoint_result &result);
  void count_skipped(std::uint64_t periods, const Skipped &skipped);
  bool sleep_until(Clock::time_point when);

  Save save_;
  Describe describe_;
  std::thread thread_;
  mutable std::mutex mutex_; ///< of all below
  std::condition_variable changed_;
  bool ends_ = false;
  bool is_new_period_ = false;
  Clock::duration period_ = {};
  pagetide_checkpoint_done done_ = nullptr;
  void *user_ = nullptr;
  pagetide_checkpoint_counts counts_ = {};
};

} // namespace pagetide::checkpoint

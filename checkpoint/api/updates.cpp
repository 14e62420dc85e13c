//===- updates.cpp - Changes that a checkpoint must not divide ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "api/updates.h"

#include "format/error.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>

namespace pagetide::checkpoint {

namespace {

// A thread counts itself first and then looks at `is_held`. A save sets
// `is_held` first and then looks at the count. With sequential consistency at
// least one of them sees the other.
std::atomic<int> running{0};
std::atomic<bool> is_held{false};
std::atomic<bool> is_kept{false};
std::mutex mutex; ///< of those that wait for either
/// Never destroyed: that would wait for threads which are held back at exit.
std::condition_variable &changed = *new std::condition_variable;

thread_local unsigned depth = 0;

void wake_all() {
  // With the mutex, so that nobody is between its look and its sleep.
  const std::lock_guard<std::mutex> lock(mutex);
  changed.notify_all();
}

void leave_count() {
  if (running.fetch_sub(1) == 1 && is_held)
    wake_all();
}

void release() {
  is_held = false;
  wake_all();
}

} // namespace

void begin_update() {
  if (depth++ != 0)
    return;
  for (;;) {
    running.fetch_add(1);
    if (!is_held)
      return;
    leave_count();
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return !is_held; });
  }
}

bool end_update() {
  if (depth == 0)
    return false;
  if (--depth == 0)
    leave_count();
  return true;
}

void reset_updates_in_child() {
  running = depth != 0 ? 1 : 0;
  is_held = false;
  is_kept = false;
  // Another thread, which the child does not have, may have held them.
  new (&mutex) std::mutex;
  new (&changed) std::condition_variable;
}

void require_no_update() {
  if (depth != 0)
    throw Error(Problem::kBusy, "called inside an update; save after "
                                "pagetide_update_end()");
}

UpdatesHeld::UpdatesHeld(std::uint64_t wait_ns) {
  require_no_update();
  if (is_kept)
    throw Error(Problem::kBusy, "updates are held back since a stream; see "
                                "pagetide_checkpoint_go_on()");
  is_held = true;
  std::unique_lock<std::mutex> lock(mutex);
  const bool is_quiet = changed.wait_for(
      lock, std::chrono::nanoseconds(wait_ns), [] { return running == 0; });
  lock.unlock();
  if (is_quiet)
    return;
  release();
  throw Error(
      Problem::kBusy,
      "a thread has been inside an update for longer than " +
          std::to_string(wait_ns) +
          " ns (update_wait_ns). Nothing was saved. The next save takes "
          "what this one should have taken.");
}

UpdatesHeld::~UpdatesHeld() {
  if (!is_kept_)
    release();
}

void UpdatesHeld::keep() {
  is_kept_ = true;
  is_kept = true;
}

bool let_updates_go() {
  if (!is_kept.exchange(false))
    return false;
  release();
  return true;
}

} // namespace pagetide::checkpoint

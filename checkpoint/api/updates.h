//===- updates.h - Changes that a checkpoint must not divide --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>

namespace pagetide::checkpoint {

/// Begins an update of the calling thread. Waits while a save is under way.
/// Pairs may nest.
void begin_update();
/// False if the thread is inside no update.
bool end_update();

/// Throws Error (kBusy) if the calling thread is inside an update.
void require_no_update();

/// In a child of fork: only the calling thread's update is there.
void reset_updates_in_child();

/// Waits until no thread is inside an update. Until it is destroyed, none
/// begins one.
class UpdatesHeld {
public:
  /// Throws Error (kBusy) if the calling thread is inside an update, if others
  /// are for longer than `wait_ns`, or if updates are kept back.
  explicit UpdatesHeld(std::uint64_t wait_ns);
  ~UpdatesHeld();
  UpdatesHeld(const UpdatesHeld &) = delete;

  /// None begins one before let_updates_go(), also when this is destroyed.
  void keep();

private:
  bool is_kept_ = false;
};

/// False if they were not kept back.
bool let_updates_go();

} // namespace pagetide::checkpoint

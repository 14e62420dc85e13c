//===- updates.h - Changes that a checkpoint must not divide --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_CHECKPOINT_API_UPDATES_H
#define PAGETIDE_CHECKPOINT_API_UPDATES_H

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
  /// Throws Error (kBusy) if the calling thread is inside an update, or if
  /// others are for longer than `wait_ns`.
  explicit UpdatesHeld(std::uint64_t wait_ns);
  ~UpdatesHeld();
  UpdatesHeld(const UpdatesHeld &) = delete;
};

} // namespace pagetide::checkpoint

#endif // PAGETIDE_CHECKPOINT_API_UPDATES_H

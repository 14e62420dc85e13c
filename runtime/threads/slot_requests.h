//===- slot_requests.h - Slots for new threads ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the recorder maps slots and empties those of ended threads. A thread
// that needs a slot asks the recorder. These requests are separate from the
// others (recorder/), because a callback may create threads while its own
// request is under way.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_THREADS_SLOT_REQUESTS_H
#define PAGETIDE_RUNTIME_THREADS_SLOT_REQUESTS_H

#include "platform/syscalls.h"

namespace pagetide {

/// A slot for a new thread; the fallback slot if there is none.
u32 AcquireSlot();

/// What the recorder does while it finds a slot.
struct SlotHooks {
  /// Takes the marks of ended threads (or drops them) and frees their slots.
  void (*empty_retired)(bool keep_marks);
  /// No thread beyond the `own` ones so far gets a slot of its own.
  void (*ran_out)(u32 own);
};

/// Answers a request for a slot if there is one. On the recorder's thread.
void AnswerSlotRequest(bool recording, const SlotHooks &hooks);

/// For the fork handlers.
void LockSlotRequests();
void UnlockSlotRequests();
void RenewSlotRequestsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_SLOT_REQUESTS_H

//===- slot_requests.h - Slots for new threads ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder alone maps slots and empties those of ended threads. A thread
// that needs one asks the recorder. These requests are apart from the others
// (recorder/): a callback may create threads while a request of its own is
// under way.
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
  /// Takes what ended threads left (or drops it) and frees their slots.
  void (*empty_retired)(bool keep_marks);
  /// No thread beyond the `own` ones so far gets a slot of its own.
  void (*ran_out)(u32 own);
};

/// Answers a request for a slot if there is one. On the recorder's thread.
void AnswerSlotRequest(bool recording, const SlotHooks &hooks);

/// Fork handlers' part.
void LockSlotRequests();
void UnlockSlotRequests();
void RenewSlotRequestsInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_SLOT_REQUESTS_H

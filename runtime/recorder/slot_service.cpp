//===- slot_service.cpp - The recorder gives slots to new threads ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/slot_service.h"

#include "engines/marks_engine.h"
#include "periods/staging.h"
#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "recorder/recorder_state.h"
#include "shadow/shadow.h"
#include "threads/slot_requests.h"
#include "threads/slots.h"
#include "trace/pending_frames.h"
#include "trace/trace_encode.h"

namespace pagetide {

using namespace trace;

PAGETIDE_RECORDER_STATE static bool warned_shared_slots;

/// Threads that began to share before the recording did.
PAGETIDE_RECORDER_STATE static u32 starts_before;

void RenewSlotWarning() {
  warned_shared_slots = false;
  SlotsWhenTheyRanOut(&starts_before);
}

/// The `own` threads so far have a slot each; further threads share some. That
/// matters where threads are told apart.
static void SaySlotsRanOut(u32 own) {
  if (!Recording() || !record_config.per_thread || warned_shared_slots)
    return;
  warned_shared_slots = true;
  Warning("no shadow is left for another thread (%u threads have one). Further "
          "threads share some and are reported as thread 0.%s\n",
          own,
          shadow.cells_per_granule_shift
              ? " Precision exact has room for sixteen times "
                "as many."
              : "");
  if (Tracing())
    EncodeNote(PendingFrames(), MonotonicNs(), OpenPeriod().index,
               NoteCode::kThreadsShared,
               "slots ran out: further threads are reported as thread 0");
}

void ServeSlots() {
  EmptySlotsIfAsked(Recording(), EmptyRetiredSlots);
  u32 starts;
  const u32 own = SlotsWhenTheyRanOut(&starts);
  if (own && (starts != starts_before || AnySharing()))
    SaySlotsRanOut(own);
}

} // namespace pagetide

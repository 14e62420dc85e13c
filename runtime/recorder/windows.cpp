//===- windows.cpp - Recording in windows of time -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/windows.h"

#include "engines/covered_threads.h"
#include "pagetide/shadow_file.h"
#include "pagetide/trace_format.h"
#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/page_vec.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"
#include "trace/pending_frames.h"
#include "trace/trace_encode.h"

namespace pagetide {

using namespace trace;

/// A window's first period is this part of it, if periods are longer.
static constexpr u64 kPartsOfWindow = 10;

namespace {
/// A thread at the beginning of the window.
struct ThreadAtBegin {
  u32 tid;
  u64 generation, cpu_ns;
  u64 exact_since; ///< 0: not yet
};

struct ExactThread {
  u32 tid;
  u64 since;
};

struct Windows {
  bool in_use;
  bool open;
  u64 begin, end; ///< of the window that is open, or of the next one
  u64 noted_at;   ///< when marks were last taken in it
  PageVec<ThreadAtBegin> threads; ///< by slot; tid 0: not live
  PageVec<ExactThread> exact;     ///< for Close
};
} // namespace

PAGETIDE_RECORDER_STATE static Windows windows;

static bool IsLive(u32 slot) {
  return slot != shadow_file::kFallbackSlot &&
         LoadAcquire(&shadow.slots[slot].state) ==
             (u32)shadow_file::SlotState::kLive;
}

static void Open(u64 now) {
  windows.open = true;
  windows.begin = now;
  windows.end = now + GetFlags().window;
  TakeCoveredSlots([](u32) {}); // of the window before
  windows.threads.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const shadow_file::SlotEntry &entry = shadow.slots[slot];
    const u32 tid = IsLive(slot) ? entry.tid : 0;
    windows.threads.push_back(
        {tid, entry.generation, tid ? ThreadCpuNs(tid) : 0, 0});
  }
}

static void NoteCovered(u64 now) {
  windows.noted_at = now;
  TakeCoveredSlots([](u32 slot) {
    if (slot < windows.threads.size() && !windows.threads[slot].exact_since)
      windows.threads[slot].exact_since = windows.noted_at;
  });
}

/// Since when the thread of a slot is exact in the window that began at
/// `began`; 0: it is not.
static u64 ExactSince(u32 slot, u64 began) {
  const shadow_file::SlotEntry &entry = shadow.slots[slot];
  if (slot >= windows.threads.size())
    return entry.start_ns; // it began in the window
  const ThreadAtBegin &then = windows.threads[slot];
  if (then.tid != entry.tid || then.generation != entry.generation)
    return entry.start_ns;
  return ThreadCpuNs(then.tid) == then.cpu_ns ? began : then.exact_since;
}

/// Says in the trace which threads were exact, and since when.
static void Close(u64 now) {
  windows.open = false;
  const u64 began = windows.begin;
  const u64 every = GetFlags().every;
  windows.begin += (now - began + every - 1) / every * every;
  if (!Tracing())
    return;
  windows.exact.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (IsLive(slot))
      if (const u64 since = ExactSince(slot, began))
        windows.exact.push_back({shadow.slots[slot].tid, since});
  const uptr frame = BeginPendingFrame(PendingFrames(), FrameType::kThreads);
  Encoder encoder(PendingFrames());
  encoder.threads(windows.exact.size());
  for (const ExactThread &thread : windows.exact)
    encoder.thread(ThreadEvent::kExactSince, thread.tid, thread.since,
                   TextOf(""));
  EndPendingFrame(PendingFrames(), frame);
}

void BeginWindows(u64 now) {
  windows.in_use = GetFlags().window && GetFlags().every > GetFlags().window;
  if (!windows.in_use)
    return;
  if (!AllSwitchWhileRunning()) {
    windows.in_use = false;
    WarnOrStop("option window: a file of the program was not built with "
               "-fpagetide-mode=windows. Marks stay on throughout. Build all "
               "of it so, or leave the option out.\n");
    return;
  }
  Open(now);
  SwitchMarks(true);
}

void EndWindows() {
  if (windows.in_use)
    SwitchMarks(true);
  windows.in_use = false;
}

u32 FlagsOfWindow() { return windows.in_use && !windows.open ? kPeriodOff : 0; }

void PassPeriod() {
  if (!windows.in_use)
    return;
  // A mark may have come while marks were taken. So the thread is exact from
  // the end of that on, and not from the boundary.
  const u64 now = MonotonicNs();
  if (windows.open) {
    NoteCovered(now);
    if (now >= windows.end && SwitchMarks(false))
      Close(now);
  } else if (now >= windows.begin && SwitchMarks(true)) {
    Open(now);
  }
}

u64 EndWithinWindow(u64 from, u64 end) {
  if (!windows.in_use)
    return end;
  if (!windows.open)
    return windows.begin;
  const u64 lead = windows.begin + GetFlags().window / kPartsOfWindow;
  if (!end || windows.end < end) // 0: never
    end = windows.end;
  return from < lead && lead < end ? lead : end;
}

} // namespace pagetide

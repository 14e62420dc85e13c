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

struct Windows {
  bool in_use;
  bool open;
  u64 begin, end; ///< of the window that is open, or of the next one
  u64 noted_at;   ///< when marks were last taken in it
  PageVec<ThreadAtBegin> threads; ///< by slot; tid 0: not live
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

/// Says in the trace which threads were exact, and since when.
static void Close(u64 now) {
  windows.open = false;
  const u64 every = GetFlags().every;
  windows.begin += (now - windows.begin + every - 1) / every * every;
  if (!Tracing())
    return;
  const uptr frame = BeginPendingFrame(PendingFrames(), FrameType::kThreads);
  Encoder encoder(PendingFrames());
  uptr exact = 0;
  auto for_each = [&](auto visit) {
    for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
      if (!IsLive(slot))
        continue;
      const shadow_file::SlotEntry &entry = shadow.slots[slot];
      u64 since = entry.start_ns; // of a thread that is younger
      if (slot < windows.threads.size()) {
        const ThreadAtBegin &then = windows.threads[slot];
        if (then.tid == entry.tid && then.generation == entry.generation)
          since = ThreadCpuNs(then.tid) == then.cpu_ns
                      ? windows.end - GetFlags().window
                      : then.exact_since;
      }
      if (since)
        visit(entry.tid, since);
    }
  };
  for_each([&](u32, u64) { ++exact; });
  encoder.threads(exact);
  for_each([&](u32 tid, u64 since) {
    if (exact) // a thread may come meanwhile
      encoder.thread(ThreadEvent::kExactSince, tid, since, TextOf(""));
    exact -= exact != 0;
  });
  for (; exact; --exact) // or go
    encoder.thread(ThreadEvent::kExactSince, 0, 0, TextOf(""));
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

void PassPeriod(u64 now) {
  if (!windows.in_use)
    return;
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

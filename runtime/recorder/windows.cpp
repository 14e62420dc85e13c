//===- windows.cpp - Recording in windows of time -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/windows.h"

#include "engines/covered_threads.h"
#include "pagetide/shadow_file.h"
#include "pagetide/trace_format.h"
#include "platform/fork_reset.h"
#include "platform/messages.h"
#include "platform/page_vec.h"
#include "recorder/recorder_state.h"
#include "shadow/mark_switches.h"
#include "shadow/shadow.h"
#include "shadow/snapshot.h"
#include "threads/service_thread.h"
#include "trace/pending_frames.h"
#include "trace/trace_encode.h"

namespace pagetide {

using namespace trace;

/// A window's first period is this part of it, if periods are longer.
static constexpr u64 kPartsOfWindow = 10;
/// The same if the window lasts until the recording ends.
static constexpr u64 kLeadOfEndless = 10 * kNsPerMs;
static constexpr u64 kNever = ~u64{0};

namespace {
/// A thread of a window.
struct ThreadInWindow {
  ThreadCpu at_begin; ///< of the window; tid 0: not live then
  u64 generation;
  bool stated; ///< in the trace, since when it is exact
};

struct Windows {
  bool in_use;
  bool open;
  bool states;    ///< threads say when they have changed to marked code
  u64 begin, end; ///< of the window that is open, or of the next one
  u64 listed_at;  ///< when its threads were listed
  u64 boundary;   ///< the last one
  PageVec<ThreadInWindow> threads; ///< by slot
};
} // namespace

PAGETIDE_RECORDER_STATE static Windows windows;

static bool AreLimited() {
  return record_config.window_ns &&
         record_config.every_ns > record_config.window_ns;
}

static bool IsLive(u32 slot) {
  return slot != shadow_file::kFallbackSlot &&
         LoadAcquire(&shadow.slots[slot].state) ==
             (u32)shadow_file::SlotState::kLive;
}

//===- Since when threads are exact ---------------------------------------===//

static void State(u32 slot, u64 since) {
  windows.threads[slot].stated = true;
  if (Tracing())
    EncodeExactSince(PendingFrames(), shadow.slots[slot].tid, since);
}

/// Whether the thread of a slot is the one that had it at the window's begin.
static bool IsThreadOfBegin(u32 slot) {
  const ThreadInWindow &then = windows.threads[slot];
  const shadow_file::SlotEntry &entry = shadow.slots[slot];
  return then.at_begin.tid == entry.tid && then.generation == entry.generation;
}

void NoteCoveredThreads(u64 boundary) {
  if (!windows.in_use || !windows.open)
    return;
  // The mark's cell is the first that is taken of a shadow. So the thread had
  // changed to marked code before the boundary of every other cell.
  windows.boundary = boundary;
  TakeCoveredSlots([](u32 slot) {
    if (windows.states && slot < windows.threads.size() && IsLive(slot) &&
        IsThreadOfBegin(slot) && !windows.threads[slot].stated)
      State(slot, windows.boundary);
  });
}

/// Of threads that have not told, because they began in the window or have not
/// run in it.
static void StateOthers() {
  if (!windows.states)
    return;
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    if (slot >= windows.threads.size())
      windows.threads.push_back({});
    ThreadInWindow &thread = windows.threads[slot];
    const shadow_file::SlotEntry &entry = shadow.slots[slot];
    if (!IsLive(slot))
      continue;
    if (!IsThreadOfBegin(slot)) {
      thread = {{entry.tid, kUnknownNs}, entry.generation, false};
      State(slot, entry.start_ns);
    } else if (!thread.stated && !MayHaveRunSince(thread.at_begin)) {
      State(slot, windows.listed_at);
    }
  }
}

//===- Windows open and close ---------------------------------------------===//

/// Marks are on. `all_exact`: they have been before.
static void Open(u64 now, bool all_exact) {
  windows.open = true;
  windows.begin = now;
  windows.end = AreLimited() ? now + record_config.window_ns : kNever;
  TakeCoveredSlots([](u32) {}); // of the window before
  windows.threads.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const shadow_file::SlotEntry &entry = shadow.slots[slot];
    const u32 tid = IsLive(slot) ? entry.tid : 0;
    windows.threads.push_back(
        {{tid, tid ? ThreadCpuNs(tid) : 0}, entry.generation, false});
    if (tid && all_exact && windows.states)
      State(slot, now);
  }
  windows.listed_at = MonotonicNs();
}

static void SwitchOnAndOpen(u64 now) {
  SwitchMarks(true);
  Open(now, /*all_exact=*/false);
  windows.in_use = windows.states || AreLimited();
}

static void Close(u64 now) {
  SwitchMarks(false);
  StateOthers();
  windows.open = false;
  windows.states = true; // all files can, or there were no windows
  const u64 every = record_config.every_ns;
  windows.begin += (now - windows.begin + every - 1) / every * every;
  GiveBackShadow(RecorderMemfd());
}

void BeginWindows(u64 now, u32 asker) {
  windows.open = false;
  windows.states = AllSwitchWhileRunning();
  if (AreLimited() && record_config.checksum != ChecksumMode::kNone) {
    record_config.window_ns = 0;
    WarnOrStop("option window: %s. Marks stay on throughout. Leave one of the "
               "two options out.\n",
               kNoChecksumsInWindows);
  } else if (AreLimited() && !windows.states) {
    record_config.window_ns = 0;
    WarnOrStop("option window: a file of the program was not built with "
               "-fpagetide-mode=windows. Marks stay on throughout. Build all "
               "of it so, or leave the option out.\n");
  }
  const bool were_on = MarksAreSwitchedOn();
  windows.in_use = AreLimited() || !were_on;
  if (!windows.in_use)
    return;
  if (were_on)
    Open(now, /*all_exact=*/true);
  else
    SwitchOnAndOpen(now);
  // Behind its call the asker's code tests whether marks are on, or has them.
  if (windows.open && windows.states && IsLive(asker) &&
      !windows.threads[asker].stated)
    State(asker, now);
}

bool ChangeWindows(u64 window_ns, u64 every_ns) {
  if (!AllSwitchWhileRunning())
    return false;
  if (!windows.in_use) { // marks are on, nobody says since when
    windows.open = true;
    windows.states = false;
    windows.begin = MonotonicNs();
  }
  windows.in_use = true;
  record_config.window_ns = window_ns;
  record_config.every_ns = every_ns;
  // The open period ends, and with it the window or the time between windows.
  const u64 now = MonotonicNs();
  if (!windows.open)
    windows.begin = now;
  else
    windows.end = AreLimited() ? now : kNever;
  return true;
}

void EndWindows() { windows.in_use = false; }

//===- Periods ------------------------------------------------------------===//

u32 FlagsOfWindow() { return windows.in_use && !windows.open ? kPeriodOff : 0; }

void StateInLastPeriod() {
  if (windows.in_use && windows.open)
    StateOthers();
}

void PassPeriod() {
  if (!windows.in_use)
    return;
  const u64 now = MonotonicNs();
  if (!windows.open && now >= windows.begin)
    SwitchOnAndOpen(now);
  else if (windows.open && now >= windows.end)
    Close(now);
}

u64 EndWithinWindow(u64 from, u64 end) {
  if (!windows.in_use)
    return end;
  if (!windows.open)
    return windows.begin;
  const bool limited = windows.end != kNever;
  if (!limited && !end) // the program ends its periods
    return end;
  if (limited && (!end || windows.end < end))
    end = windows.end;
  const u64 lead =
      windows.begin + (AreLimited() ? record_config.window_ns / kPartsOfWindow
                                    : kLeadOfEndless);
  return from < lead && lead < end ? lead : end;
}

//===- Marks after the recording ------------------------------------------===//

bool MayMarksRest() {
  return AllSwitch() && (AllSwitchWhileRunning() ||
                         !(shadow.module.flags & abi::kModuleUsesApi));
}

} // namespace pagetide

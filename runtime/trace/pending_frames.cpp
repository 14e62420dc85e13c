//===- pending_frames.cpp - What the trace is told between periods --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/pending_frames.h"

#include "periods/staging.h"
#include "platform/fork_reset.h"
#include "shadow/shadow.h"
#include "threads/slots.h"
#include "trace/trace_encode.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;
using shadow_file::kFallbackSlot;
using shadow_file::kMaxSlots;

namespace {
struct Pending {
  PageVec<u8> frames;
  bool tracing;
  bool observes_ends;
  u64 seen_generation[kMaxSlots];
  u64 alive_check_time;
};
} // namespace

PAGETIDE_RECORDER_STATE static Pending pending;

bool Tracing() { return pending.tracing; }
void SetTracing(bool tracing) { pending.tracing = tracing; }
PageVec<u8> &PendingFrames() { return pending.frames; }

void NoteLost(const char *what) {
  if (pending.tracing)
    EncodeNote(pending.frames, MonotonicNs(), OpenPeriod().index,
               NoteCode::kLost, what);
}

namespace {
struct NoteOfProgram {
  char text[kMaxNoteOfProgram];
  u32 is_complete;
};
} // namespace

static NoteOfProgram notes[8];
static u32 note_count;
PAGETIDE_RECORDER_STATE static u32 notes_taken;

void NoteLostByProgram(const char *what) {
  const u32 place = __atomic_fetch_add(&note_count, 1, __ATOMIC_ACQ_REL);
  if (place >= sizeof(notes) / sizeof(*notes))
    return;
  internal_strncpy(notes[place].text, what, kMaxNoteOfProgram - 1);
  StoreRelease(&notes[place].is_complete, 1);
}

void TakeNotesOfProgram() {
  for (; notes_taken < sizeof(notes) / sizeof(*notes) &&
         LoadAcquire(&notes[notes_taken].is_complete);
       ++notes_taken)
    NoteLost(notes[notes_taken].text);
}

//===- Threads that come and go -------------------------------------------===//

void ForgetThreads() {
  notes_taken = 0;
  for (u64 &generation : pending.seen_generation)
    generation = 0;
}

void ObserveThreadEnds(bool recording) { pending.observes_ends = recording; }

/// The thread's name as ps shows it; empty if the thread has gone.
static void ReadThreadName(u32 tid, char *name, uptr bytes) {
  char path[64];
  internal_snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
  name[0] = 0;
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY);
  if (Failed(fd))
    return;
  uptr n = Syscall(SYS_read, fd, (uptr)name, bytes - 1);
  Syscall(SYS_close, fd);
  name[Failed(n) ? 0 : n] = 0;
  if (char *newline = internal_strchr(name, '\n'))
    *newline = 0;
}

/// Says in one frame that the slot's thread has started, if nothing said so
/// yet, and if it `ends` that too. Each frame is one write.
static void NoteThread(u32 slot, bool ends) {
  const SlotEntry &entry = shadow.slots[slot];
  const bool starts = slot != kFallbackSlot &&
                      pending.seen_generation[slot] != entry.generation;
  if (!starts && !ends)
    return;
  char name[32] = "";
  if (starts) {
    pending.seen_generation[slot] = entry.generation;
    if (!ends) // otherwise /proc has it no more
      ReadThreadName(entry.tid, name, sizeof(name));
  }
  // Reserve first: half a frame must not stay if memory runs out (bailout.h).
  constexpr uptr kMaxBytes = 256;
  pending.frames.reserve(pending.frames.size() + kMaxBytes);
  uptr frame = BeginPendingFrame(pending.frames, FrameType::kThreads);
  Encoder encoder(pending.frames);
  encoder.threads(starts + ends);
  if (starts)
    encoder.thread(ThreadEvent::kStart, entry.tid, entry.start_ns,
                   TextOf(name));
  if (ends)
    encoder.thread(ThreadEvent::kEnd, entry.tid, entry.end_ns, TextOf(""));
  EndPendingFrame(pending.frames, frame);
}

void ObserveThreadEnd(u32 slot) {
  if (pending.observes_ends)
    NoteThread(slot, true);
}

void ObserveThreads(u64 now) {
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot)
    if (LoadAcquire(&shadow.slots[slot].state) == (u32)SlotState::kLive)
      NoteThread(slot, false);
  if (now - pending.alive_check_time < 100 * kNsPerMs)
    return;
  pending.alive_check_time = now;
  RetireDeadThreads();
}

} // namespace pagetide

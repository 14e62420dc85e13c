//===- settle.cpp - Have threads made the accesses they marked? -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "settle.h"

#include "flags.h"
#include "recorder_state.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

namespace pagetide {

using shadow_file::ChunkKind;

PAGETIDE_RECORDER_STATE static PageVec<WriterOfPeriod> writers;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> written;
PAGETIDE_RECORDER_STATE static PageVec<WriterOfPeriod> kept_writers;
PAGETIDE_RECORDER_STATE static PageVec<StagedWord> kept_written;

PageVec<WriterOfPeriod> &WritersSoFar() { return writers; }
PageVec<StagedWord> &WrittenSoFar() { return written; }

void ForgetWriters() {
  writers.clear();
  written.clear();
}

void SettleSlot(u32 slot) {
  uptr kept = 0;
  for (const WriterOfPeriod &w : writers)
    if (w.slot != slot || !w.tid) // threads that share a slot: one of them
      writers[kept++] = w;
  writers.resize(kept);
}

/// True where the kernel says that the thread sleeps in a system call: it is
/// then between no mark and its access. (A thread that sleeps in a page fault
/// may be; its number reads -1.)
static bool BlockedInSystemCall(u32 tid) {
  char path[64], text[32];
  __sanitizer::internal_snprintf(path, sizeof(path),
                                 "/proc/self/task/%u/syscall", tid);
  uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return false;
  uptr n = Syscall(SYS_read, fd, (uptr)text, sizeof(text));
  Syscall(SYS_close, fd);
  return !Failed(n) && n && text[0] >= '0' && text[0] <= '9';
}

bool ThreadSettled(const WriterOfPeriod &writer) {
  const SlotEntry &entry = shadow.slots[writer.slot];
  if (!writer.tid) // several threads: nothing can be said of them
    return false;
  if (LoadAcquire(&entry.state) != (u32)SlotState::kLive ||
      entry.generation != writer.generation)
    return true; // it has ended
  u64 now = ThreadCpuNs(writer.tid);
  if (!now || now - writer.cpu_ns >= GetFlags().settle)
    return true;
  return BlockedInSystemCall(writer.tid);
}

static void SleepNs(u64 ns) {
  timespec ts = {0, (long)ns};
  Syscall(SYS_nanosleep, (uptr)&ts);
}

static bool AllSettled() {
  for (const WriterOfPeriod &w : writers)
    if (w.tid && !ThreadSettled(w))
      return false;
  return true;
}

bool CarryUnsettled(u64 wait_ns, PageVec<StagedWord> *unsettled) {
  constexpr u64 kStepNs = 50 * 1000;
  if (wait_ns)
    for (u64 deadline = MonotonicNs() + wait_ns;
         !AllSettled() && MonotonicNs() < deadline;)
      SleepNs(kStepNs);
  bool ok = true;
  kept_writers.clear();
  kept_written.clear();
  for (const WriterOfPeriod &w : writers) {
    if (ThreadSettled(w))
      continue;
    StagingCursor cursor(shadow.header->per_thread ? w.tid : 0,
                         ChunkKind::kCarried);
    WriterOfPeriod kept = w;
    kept.first = kept_written.size();
    for (uptr i = w.first; i < w.first + w.count && ok; ++i) {
      ok = cursor.Add(written[i].word, written[i].value);
      kept_written.push_back(written[i]);
      if (unsettled)
        unsettled->push_back(written[i]);
    }
    // Threads that share a slot never settle as one: their pages are carried
    // once, not for ever.
    if (w.tid)
      kept_writers.push_back(kept);
  }
  writers.swap(kept_writers);
  written.swap(kept_written);
  return ok;
}

} // namespace pagetide

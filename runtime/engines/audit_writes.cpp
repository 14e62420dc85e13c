//===- audit_writes.cpp - Which pages the kernel saw written --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/audit_writes.h"

#include "engines/write_tracking.h"
#include "platform/fork_reset.h"
#include "platform/program_memory.h"
#include "threads/slots.h"
#include "threads/thread_memory.h"
#include "trace/trace_encode.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <link.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;
using shadow_file::kFallbackSlot;
using shadow_file::SlotState;

namespace {
struct ThreadRegion {
  ThreadArea area;
  u32 tid;
};

struct Audit {
  bool running;
  PageVec<WrittenRun> runs;
  PageVec<WrittenRun> early; ///< taken since the last period ended
  PageVec<UntrackedRange> untracked, untracked_before;
  PageVec<ThreadRegion> ended_threads;
  PageVec<AddressRange> loader_records;
  PageVec<u8> regions, regions_before; ///< payloads without the time
};
} // namespace

PAGETIDE_RECORDER_STATE static Audit audit;

/// A mapping that vanishes while it is examined cannot be tracked either. So
/// only a mapping that fails twice in a row is reported.
static void TakeAll(const MappingList &mappings) {
  audit.runs.clear();
  audit.untracked_before.swap(audit.untracked);
  audit.untracked.clear();
  TrackMappings(mappings, true, audit.runs, audit.untracked);
}

//===- Frames -------------------------------------------------------------===//

static void EncodeRegion(Encoder &encoder, RegionKind kind, uptr begin,
                         uptr end, u32 tid, const char *text) {
  encoder.region(kind, begin, end - begin, tid, TextOf(text));
}

void RememberThreadArea(u32 slot) {
  if (!audit.running)
    return;
  const ThreadArea area = AreaOfSlot(slot);
  if (area.bytes)
    audit.ended_threads.push_back({area, shadow.slots[slot].tid});
}

static void EncodeThread(Encoder &encoder, const ThreadArea &area, u32 tid) {
  EncodeRegion(encoder,
               area.is_stack ? RegionKind::kThreadStack
                             : RegionKind::kThreadLocal,
               area.begin, area.begin + area.bytes, tid, "");
}

static bool SameBytes(const PageVec<u8> &a, const PageVec<u8> &b) {
  return a.size() == b.size() &&
         (a.empty() || !internal_memcmp(a.data(), b.data(), a.size()));
}

/// Lists the loader's records of modules (struct link_map) to which it writes
/// while files are opened and closed. If the process exits, lists all to which
/// it writes while modules' destructors run.
static void ListLoaderRecords(bool exiting) {
  constexpr uptr kRecordBytes = 1160; // glibc's own struct link_map
  // The records of the files with which the program starts are together, in
  // memory that the loader mapped before malloc existed. dlopen and dlclose
  // change them. The other records are blocks of malloc, beside the program's.
  constexpr uptr kLoaderMemory = uptr{1} << 20;
  constexpr uptr kMaxRecords = 65536;
  audit.loader_records.clear();
  const uptr first = (uptr)_r_debug.r_map;
  link_map record;
  // No lock is held: another thread may free a record meanwhile.
  for (uptr at = first;
       at && audit.loader_records.size() < kMaxRecords &&
       CopyFromProgram(&record, (const void *)at, sizeof(record));
       at = (uptr)record.l_next)
    if (exiting || at - first + kLoaderMemory <= 2 * kLoaderMemory)
      audit.loader_records.push_back({at, at + kRecordBytes});
}

static void EncodeRegions(PageVec<u8> &frames, bool exiting, u64 now) {
  PAGETIDE_RECORDER_STATE static PageVec<u8> entries;
  entries.clear();
  Encoder encoder(entries);
  u64 count = 0;
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    const ThreadArea area = AreaOfSlot(slot);
    if (slot == kFallbackSlot || !area.bytes ||
        LoadAcquire(&entry.state) == (u32)SlotState::kFree)
      continue;
    EncodeThread(encoder, area, entry.tid);
    ++count;
  }
  // Read after the pages: a call that has returned by now has marked.
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const SlotEntry &entry = shadow.slots[slot];
    for (const InFlightRange &range : entry.inflight) {
      const u64 bytes = LoadAcquire(&range.bytes);
      const u64 begin = LoadAcquire(&range.address);
      if (!bytes || !InShadowedRange(begin, bytes))
        continue;
      EncodeRegion(encoder, RegionKind::kInFlight, begin, begin + bytes,
                   entry.tid, "");
      ++count;
    }
  }
  for (const ThreadRegion &ended : audit.ended_threads) {
    EncodeThread(encoder, ended.area, ended.tid);
    ++count;
  }
  audit.ended_threads.clear();
  if (exiting) // otherwise the list stays as it was
    ListLoaderRecords(true);
  for (const AddressRange &record : audit.loader_records) {
    EncodeRegion(encoder, RegionKind::kLoader, record.begin, record.end, 0, "");
    ++count;
  }
  for (const UntrackedRange &u : audit.untracked)
    for (const UntrackedRange &before : audit.untracked_before)
      if (u.begin < before.end && before.begin < u.end) {
        EncodeRegion(encoder, RegionKind::kUnseen, u.begin, u.end, 0, u.why);
        ++count;
        break;
      }
  audit.regions.clear();
  Encoder(audit.regions).varint(count);
  for (u8 byte : entries)
    audit.regions.push_back(byte);
  if (SameBytes(audit.regions, audit.regions_before))
    return;
  uptr frame = BeginPendingFrame(frames, FrameType::kRegions);
  Encoder(frames).varint(now);
  for (u8 byte : audit.regions)
    frames.push_back(byte);
  EndPendingFrame(frames, frame);
  audit.regions.swap(audit.regions_before);
}

static void EncodeRuns(PageVec<u8> &frames, const PageVec<WrittenRun> &runs,
                       u64 period, bool exiting, u64 now) {
  constexpr uptr kMaxRunBytes = 2 * 8 + 1;
  constexpr uptr kRunsOfPart = kPartBytes / kMaxRunBytes;
  uptr next = 0;
  do {
    const uptr left = runs.size() - next;
    const uptr count = left < kRunsOfPart ? left : kRunsOfPart;
    uptr frame = BeginPendingFrame(frames, FrameType::kKernelWrites);
    Encoder encoder(frames);
    encoder.kernel_writes(
        period, (count == left ? kPartLast : 0) | (exiting ? kPartExiting : 0),
        now, count);
    for (uptr end = next + count; next < end; ++next) {
      const WrittenRun &run = runs[next];
      encoder.run(run.first, run.count, run.flags);
    }
    EndPendingFrame(frames, frame);
  } while (next < runs.size());
}

void CollectKernelWrites(u64 period, bool exiting, const MappingList &mappings,
                         PageVec<u8> &frames) {
  TakeAll(mappings);
  const u64 now = MonotonicNs();
  EncodeRegions(frames, exiting, now);
  PageVec<WrittenRun> &all = audit.early;
  for (const WrittenRun &run : audit.runs)
    all.push_back(run);
  UniteWritten(all);
  EncodeRuns(frames, all, period, exiting, now);
  all.clear();
}

const PageVec<WrittenRun> &CollectedKernelWrites() { return audit.runs; }

int TakeKernelWritesEarly(PageVec<WrittenRun> &runs) {
  constexpr uptr kEndOfMemory = uptr{1} << abi::kAddressBits;
  const uptr before = runs.size();
  int error = TakeWritten(0, kEndOfMemory, runs);
  if (!error)
    error = ListNewMemory(runs);
  for (uptr i = before; i < runs.size(); ++i)
    audit.early.push_back(runs[i]);
  UniteWritten(runs);
  return error;
}

//===- Begin and end ------------------------------------------------------===//

const char *StartKernelWrites(const MappingList &mappings, bool for_cuts) {
  if (const char *missing = StartWriteTracking(for_cuts))
    return missing;
  audit.early.clear();
  audit.regions_before.clear();
  audit.ended_threads.clear();
  ListLoaderRecords(false);
  TakeAll(mappings);
  audit.runs.clear(); // they were written before recording began
  audit.running = true;
  return nullptr;
}

bool WatchingKernelWrites() { return audit.running; }

void StopKernelWrites() {
  if (!audit.running)
    return;
  audit.running = false;
  StopWriteTracking();
}

} // namespace pagetide

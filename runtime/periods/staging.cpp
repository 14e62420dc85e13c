//===- staging.cpp - Page sets collected and not yet written --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/staging.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "shadow/snapshot.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace pagetide {

using namespace shadow_file;

/// The number of releases. The recorder sleeps on it.
PAGETIDE_RECORDER_STATE static u32 releases;
PAGETIDE_RECORDER_STATE static const RawThread *releasing_thread;
/// Chunks below this index may have been used since memory was given back.
PAGETIDE_RECORDER_STATE static u64 touched_chunks;
/// Memory of the ring that is kept while it is empty.
constexpr u64 kKeptChunks = (16u << 20) / kChunkBytes;

static PeriodEntry &EntryAt(u64 number) {
  return shadow.header->periods[number % kMaxPendingPeriods];
}

PeriodEntry &OpenPeriod() { return EntryAt(shadow.header->open_period); }

StagingChunk &ChunkAt(u64 number) {
  const ShadowHeader &header = *shadow.header;
  return shadow.chunks[(number - header.chunk_base) % header.chunk_count];
}

static void FillEntry(PeriodEntry &entry, u64 index, u64 start_ns) {
  entry.index = index;
  entry.start_ns = start_ns;
  entry.end_ns = 0;
  entry.overruns = 0;
  entry.flags = 0;
  entry.first_chunk = entry.end_chunk = shadow.header->chunk_head;
}

void ResetStaging(u64 index, u64 start_ns) {
  ShadowHeader &header = *shadow.header;
  // Periods are numbered by their index, which starts again. Nothing is staged,
  // and header.recording is 0, so a harvester does not look.
  header.chunk_tail = header.chunk_base = header.chunk_head;
  header.open_period = index;
  header.periods_written = index;
  FillEntry(OpenPeriod(), index, start_ns);
}

void SetReleasingThread(const RawThread *thread) { releasing_thread = thread; }

/// Waits for the writer to release a period. False if none is pending.
static bool WaitForRelease() {
  ShadowHeader &header = *shadow.header;
  u32 seen = LoadAcquire(&releases);
  if (LoadAcquire(&header.periods_written) == header.open_period)
    return false;
  if (!releasing_thread)
    FutexWait(&releases, seen, MonotonicNs() + kNsPerSec);
  else if (!WaitForRawThread(*releasing_thread, &releases, seen))
    Syscall(SYS_exit, 0);
  return true;
}

PeriodEntry &ClosePeriod(u64 end_ns, u32 flags, u64 overruns) {
  ShadowHeader &header = *shadow.header;
  while (header.open_period + 1 - LoadAcquire(&header.periods_written) >=
         kMaxPendingPeriods)
    WaitForRelease();
  PeriodEntry &closed = OpenPeriod();
  closed.end_ns = end_ns;
  closed.flags = flags;
  closed.overruns = overruns;
  FillEntry(EntryAt(header.open_period + 1), closed.index + 1, end_ns);
  StoreRelease(&header.open_period, header.open_period + 1);
  return closed;
}

/// An empty ring starts at its first chunk again, so that the same few pages
/// serve every period. Gives back memory that a huge period used.
static void StartRingOver() {
  ShadowHeader &header = *shadow.header;
  if (touched_chunks > kKeptChunks) {
    Syscall(SYS_madvise, (uptr)&shadow.chunks[kKeptChunks],
            (touched_chunks - kKeptChunks) * kChunkBytes, MADV_REMOVE);
    touched_chunks = kKeptChunks;
    StagingShrank();
  }
  StoreRelease(&header.chunk_base, header.chunk_head);
}

StagingPlace PlaceInLastChunk(u32 tid, ChunkKind kind) {
  const ShadowHeader &header = *shadow.header;
  if (OpenPeriod().first_chunk == header.chunk_head)
    return {};
  StagingChunk &last = ChunkAt(header.chunk_head - 1);
  if (last.tid != tid || last.kind != (u32)kind || last.count == kWordsPerChunk)
    return {};
  return {&last, {header.chunk_head - 1, last.count}};
}

StagingPlace PlaceInNewChunk(u32 tid, ChunkKind kind) {
  ShadowHeader &header = *shadow.header;
  while (header.chunk_head - LoadAcquire(&header.chunk_tail) ==
         header.chunk_count)
    if (!WaitForRelease())
      return {};
  if (header.chunk_head == LoadAcquire(&header.chunk_tail))
    StartRingOver();
  const u64 number = header.chunk_head;
  StagingChunk &chunk = ChunkAt(number);
  u64 used = (u64)(&chunk - shadow.chunks) + 1;
  if (used > touched_chunks)
    touched_chunks = used;
  PeriodEntry &open = OpenPeriod();
  chunk.count = 0;
  chunk.period = open.index;
  chunk.tid = tid;
  chunk.kind = (u32)kind;
  StoreRelease(&header.chunk_head, number + 1);
  StoreRelease(&open.end_chunk, number + 1);
  return {&chunk, {number, 0}};
}

void ReleasePeriod(const PeriodEntry &period) {
  ShadowHeader &header = *shadow.header;
  StoreRelease(&header.chunk_tail, period.end_chunk);
  StoreRelease(&header.periods_written, header.periods_written + 1);
  __atomic_fetch_add(&releases, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&releases);
}

} // namespace pagetide

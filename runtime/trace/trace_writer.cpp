//===- trace_writer.cpp - Writes the trace, behind the recorder -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_writer.h"

#include "periods/period_pool.h"
#include "periods/staging.h"
#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "platform/options.h"
#include "platform/own_memory.h"
#include "platform/raw_thread.h"
#include "trace/sites_encoder.h"
#include "trace/trace_encode.h"
#include "trace/trace_file.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

namespace pagetide {

using namespace trace;

namespace {
struct Writer {
  RawThread thread;
  bool running;
  TraceFile file;
  bool failed;          ///< nothing more is written
  bool has_all;         ///< all periods of the recording are written
  EndReason end;        ///< and this is how it ended
  bool relative_hashes; ///< the trace has kHeaderRelativeHashes
  u64 context;          ///< is_context() frames written
  char path[4096];
  ZSTD_CCtx *compressor;
  PageVec<u8> payload, compressed;

  Lock lock; ///< of the queue
  PeriodResult *head, *tail;
  u32 queued; ///< a count that the writer sleeps on
  u32 done;   ///< a count that DrainTraceWriter sleeps on
  u32 stop;
  void (*errand)(void *); ///< of RunOnTraceWriter
  void *errand_argument;
  u32 errand_waits;
};
} // namespace

PAGETIDE_RECORDER_STATE static Writer writer;

//===- Memory for zstd ----------------------------------------------------===//

// zstd allocates few blocks, which are large and live long: use whole pages.
static void *ZstdAlloc(void *, size_t bytes) {
  uptr *block = (uptr *)MapAnonymous(bytes + 64, false);
  if (!block)
    return nullptr;
  block[0] = bytes + 64;
  return (u8 *)block + 64;
}
static void ZstdFree(void *, void *p) {
  if (p)
    Unmap((u8 *)p - 64, *(uptr *)((u8 *)p - 64));
}

//===- Frames -------------------------------------------------------------===//

/// From now on nothing is written. `why` is a sentence without its full stop.
static void Fail(const char *why) {
  if (writer.failed)
    return;
  writer.failed = true;
  if (writer.has_all) {
    Reason note;
    __sanitizer::internal_snprintf(note.text, sizeof(note.text),
                                   "what follows the last period could not be "
                                   "written: %s",
                                   why);
    const bool said = WriteLastWords(writer.file, note.text, &writer.end);
    Warning("cannot write the end of the trace %s: %s. It has all periods%s.\n",
            writer.path, why, said ? "" : ", without an End frame");
    return;
  }
  const bool stop = GetFlags().on_failure == OnFailure::kStop;
  Reason note;
  __sanitizer::internal_snprintf(
      note.text, sizeof(note.text), "period %llu could not be written: %s%s",
      writer.file.periods, why,
      stop ? "; the program was stopped (option on_failure=stop)" : "");
  constexpr EndReason kReason = EndReason::kFailed;
  const bool said =
      WriteLastWords(writer.file, note.text, stop ? nullptr : &kReason);
  if (stop)
    // The period is still staged. A message must not deny what `pagetide
    // record` is about to add.
    WarnOrStop("cannot write period %llu to the trace %s: %s. It is in the "
               "trace only if `pagetide record` adds it.\n",
               writer.file.periods, writer.path, why);
  else
    WarnOrStop("cannot write the trace %s: %s. It ends before period %llu%s. "
               "The program runs on.\n",
               writer.path, why, writer.file.periods,
               said ? "" : ", without an End frame");
}

static void WriteFrame(FrameType type, const u8 *payload, uptr bytes) {
  if (writer.failed)
    return;
  writer.compressed.resize(ZSTD_compressBound(bytes));
  uptr stored = ZSTD_compressCCtx(writer.compressor, writer.compressed.data(),
                                  writer.compressed.size(), payload, bytes,
                                  (int)GetFlags().compression);
  bool raw = ZSTD_isError(stored) || stored >= bytes;
  FrameHeader header = {};
  header.magic = kFrameMagic;
  header.type = type;
  header.flags = raw ? kFrameRaw : 0;
  header.raw_bytes = (u32)bytes;
  header.stored_bytes = raw ? (u32)bytes : (u32)stored;
  const u8 *data = raw ? payload : writer.compressed.data();
  header.hash =
      XXH3_64bits_withSeed(data, header.stored_bytes, frame_seed(header));
  iovec pieces[2] = {{&header, sizeof(header)},
                     {(void *)data, header.stored_bytes}};
  if (int error = WriteAll(writer.file, pieces, 2))
    BailOut("%s", DescribeErrno(error));
  writer.context += is_context(type);
}

static void WritePendingFrames(const PageVec<u8> &frames) {
  for (uptr at = 0; at < frames.size();) {
    PendingFrame frame;
    __sanitizer::internal_memcpy(&frame, &frames[at], sizeof(frame));
    at += sizeof(frame);
    WriteFrame(frame.type, &frames[at], frame.bytes);
    at += frame.bytes;
    writer.file.whole = writer.file.offset;
  }
}

/// Notes whether the recording ends with the period before the frames. After
/// exec and abort the program may go on.
static void LookForEnd(const PageVec<u8> &frames) {
  for (uptr at = 0; at < frames.size();) {
    PendingFrame frame;
    __sanitizer::internal_memcpy(&frame, &frames[at], sizeof(frame));
    at += sizeof(frame);
    std::uint64_t time;
    if (const u8 *reason =
            frame.type == FrameType::kEnd
                ? get_varint(&frames[at], frames.data() + frames.size(), time)
                : nullptr) {
      writer.end = (EndReason)*reason;
      writer.has_all =
          writer.end == EndReason::kExit || writer.end == EndReason::kStop;
    }
    at += frame.bytes;
  }
}

static void WritePeriod(const PeriodResult &result) {
  WritePendingFrames(result.frames_before);
  if (!result.sites.runs.empty()) {
    SitesEncoder sites(result.entry, result.sites);
    while (sites.NextPart(writer.payload))
      WriteFrame(FrameType::kPeriodSites, writer.payload.data(),
                 writer.payload.size());
  }
  PeriodEncoder encoder(result, writer.context, writer.relative_hashes);
  while (encoder.NextPart(writer.payload))
    WriteFrame(FrameType::kPeriod, writer.payload.data(),
               writer.payload.size());
  if (!writer.failed)
    ++writer.file.periods;
  writer.file.whole = writer.file.offset;
  if (!writer.failed)
    LookForEnd(result.frames_after);
  WritePendingFrames(result.frames_after);
}

//===- The queue ----------------------------------------------------------===//

void QueuePeriod(PeriodResult *result) {
  {
    RawThreadLock hold(writer.lock);
    (writer.head ? writer.tail->next : writer.head) = result;
    writer.tail = result;
  }
  __atomic_fetch_add(&writer.queued, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&writer.queued);
}

static PeriodResult *Dequeue() {
  RawThreadLock hold(writer.lock);
  PeriodResult *result = writer.head;
  if (result) {
    writer.head = result->next;
    result->next = nullptr;
  }
  return result;
}

static void RunWriter(void *) {
  for (;;) {
    u32 seen = LoadAcquire(&writer.queued);
    if (LoadAcquire(&writer.errand_waits)) {
      writer.errand(writer.errand_argument);
      StoreRelease(&writer.errand_waits, 0);
      FutexWakeAll(&writer.errand_waits);
    }
    PeriodResult *result = Dequeue();
    if (!result) {
      if (LoadAcquire(&writer.stop))
        return;
      FutexWait(&writer.queued, seen);
      continue;
    }
    Reason why;
    if (!Attempt(why, [&] { WritePeriod(*result); }))
      Fail(why.text);
    ReleasePeriod(result->entry);
    RecyclePeriodResult(result);
    __atomic_fetch_add(&writer.done, 1, __ATOMIC_RELEASE);
    FutexWakeAll(&writer.done);
  }
}

u64 TraceBytes() {
  return __atomic_load_n(&writer.file.offset, __ATOMIC_RELAXED);
}

bool DrainTraceWriter() {
  for (u32 done;
       (done = LoadAcquire(&writer.done)) != LoadAcquire(&writer.queued);)
    if (!WaitForRawThread(writer.thread, &writer.done, done))
      EndWithTraceWriter();
  return !writer.failed;
}

void RunOnTraceWriter(void (*function)(void *), void *arg) {
  if (!writer.running)
    return;
  writer.errand = function;
  writer.errand_argument = arg;
  StoreRelease(&writer.errand_waits, 1);
  // The writer sleeps on this count, and counts each item in `done`.
  __atomic_fetch_add(&writer.queued, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&writer.queued);
  while (LoadAcquire(&writer.errand_waits))
    if (!WaitForRawThread(writer.thread, &writer.errand_waits, 1))
      EndWithTraceWriter();
  __atomic_fetch_add(&writer.done, 1, __ATOMIC_RELEASE);
}

void WriteFramesNow(const PageVec<u8> &frames) {
  RunOnTraceWriter(
      [](void *list) {
        Reason why;
        if (!Attempt(why,
                     [&] { WritePendingFrames(*(const PageVec<u8> *)list); }))
          Fail(why.text);
      },
      (void *)&frames);
}

void EndWithTraceWriter() {
  if (writer.running && !LoadAcquire(&writer.thread.tid))
    Syscall(SYS_exit, 0);
}

//===- The thread ---------------------------------------------------------===//

static void StartThread() {
  writer.stop = 0;
  writer.thread.run = RunWriter;
  writer.thread.name = "pagetide-write";
  writer.thread.share_fds = true;
  if (int error = StartRawThread(writer.thread))
    BailOut("the writer's thread cannot be started: %s", DescribeErrno(error));
}

/// Drains the queue.
static void EndThread() {
  DrainTraceWriter();
  StoreRelease(&writer.stop, 1);
  __atomic_fetch_add(&writer.queued, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&writer.queued);
  JoinRawThread(writer.thread);
  __atomic_fetch_add(&writer.done, 1, __ATOMIC_RELEASE);
}

void PauseTraceWriter() {
  if (writer.running)
    EndThread();
}

void ResumeTraceWriter() {
  if (writer.running)
    StartThread();
}

void StartTraceWriter(int fd, const char *path, const FileHeader &header,
                      const PageVec<u8> &first) {
  writer.file = {};
  writer.file.fd = fd;
  writer.failed = writer.has_all = false;
  writer.relative_hashes = header.flags & kHeaderRelativeHashes;
  writer.context = 0;
  __sanitizer::internal_strncpy(writer.path, path, sizeof(writer.path) - 1);
  if (!writer.compressor)
    writer.compressor =
        ZSTD_createCCtx_advanced({ZstdAlloc, ZstdFree, nullptr});
  if (!writer.compressor)
    BailOut("out of memory for the compressor");
  FileHeader copy = header;
  copy.hash = XXH3_64bits(&copy, __builtin_offsetof(FileHeader, hash));
  iovec piece = {&copy, sizeof(copy)};
  if (int error = WriteAll(writer.file, &piece, 1))
    BailOut("%s", DescribeErrno(error));
  writer.file.whole = writer.file.offset;
  WritePendingFrames(first);
  StartThread();
  writer.running = true;
  SetReleasingThread(&writer.thread);
}

void StopTraceWriter(const char *why) {
  if (!writer.running)
    return;
  EndThread();
  writer.running = false;
  SetReleasingThread(nullptr);
  if (!writer.failed && why) {
    writer.failed = true;
    constexpr EndReason kReason = EndReason::kFailed;
    WriteLastWords(writer.file, why, &kReason);
  }
  if (!writer.failed)
    ReleaseReserved(writer.file);
  // Network file systems report failures only at close.
  const int error = ErrnoOf(Syscall(SYS_close, (uptr)writer.file.fd));
  if (error && error != EINTR)
    Warning("the trace %s may be incomplete: close failed with %s.\n",
            writer.path, DescribeErrno(error));
}

} // namespace pagetide

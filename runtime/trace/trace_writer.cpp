//===- trace_writer.cpp - Writes the trace, behind the recorder -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
#include "trace/trace_encode.h"

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
  int fd;
  bool failed;  ///< nothing more is written
  u64 offset;   ///< where the next frame goes
  u64 whole;    ///< end of the last frame that leaves no period unfinished
  u64 reserved; ///< the file system has promised room up to here
  bool no_reservation; ///< it makes no promises
  u64 periods;         ///< written whole
  char path[4096];
  ZSTD_CCtx *compressor;
  PageVec<u8> payload, compressed;

  Lock lock; ///< of the queue
  PeriodResult *head, *tail;
  u32 queued; ///< counts; the writer sleeps on it
  u32 done;   ///< counts; DrainTraceWriter sleeps on it
  u32 stop;
  void (*errand)(void *); ///< of RunOnTraceWriter
  void *errand_argument;
  u32 errand_waits;
};
} // namespace

PAGETIDE_RECORDER_STATE static Writer writer;

//===- Memory for zstd ----------------------------------------------------===//

// Few, large, long-lived blocks: pages serve.
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

/// Room that is kept for the last words of a trace that cannot be written on: a
/// note and an End frame. So they fit even on a disk that is full.
constexpr u64 kLastWordsBytes = 1024;
/// Room that is asked for at a time.
constexpr u64 kReserveStep = 64 * 1024;

static bool MeansFull(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

/// Asks the file system for room up to `end`. Returns 0 or an errno.
static int ReserveUpTo(u64 end) {
  constexpr uptr kKeepSize = 1; // FALLOC_FL_KEEP_SIZE
  uptr result;
  do
    result = Syscall(SYS_fallocate, (uptr)writer.fd, kKeepSize, writer.reserved,
                     end - writer.reserved);
  while (ErrnoOf(result) == EINTR);
  if (!Failed(result))
    writer.reserved = end;
  return ErrnoOf(result);
}

/// Sees to it that `bytes` more and the last words have room. Returns 0 or an
/// errno. File systems without fallocate cannot promise anything.
static int Reserve(u64 bytes) {
  const u64 end = writer.offset + bytes + kLastWordsBytes;
  if (writer.no_reservation || end <= writer.reserved)
    return 0;
  int error = ReserveUpTo(end + kReserveStep);
  if (MeansFull(error))
    error = ReserveUpTo(end);
  if (!error || MeansFull(error))
    return error;
  writer.no_reservation = true;
  return 0;
}

static int CutTo(u64 offset) {
  uptr result;
  do
    result = Syscall(SYS_ftruncate, (uptr)writer.fd, offset);
  while (ErrnoOf(result) == EINTR);
  return ErrnoOf(result);
}

/// An uncompressed frame in a buffer that is there already.
static uptr PutFrame(u8 *at, FrameType type, const u8 *payload, u32 bytes) {
  FrameHeader header = {};
  header.magic = kFrameMagic;
  header.type = type;
  header.flags = kFrameRaw;
  header.raw_bytes = header.stored_bytes = bytes;
  header.hash = XXH3_64bits_withSeed(payload, bytes, frame_seed(header));
  __sanitizer::internal_memcpy(at, &header, sizeof(header));
  __sanitizer::internal_memcpy(at + sizeof(header), payload, bytes);
  return sizeof(header) + bytes;
}

/// Takes off what is torn or belongs to a period that is not whole, and writes
/// why the trace ends there: a note, and an End frame unless `record` may still
/// complete it. Without memory of its own. False where that fails too.
static bool WriteLastWords(const char *why, bool with_end) {
  // A torn frame would hide what stands behind it.
  if (CutTo(writer.whole))
    return false;
  const u64 now = MonotonicNs();
  u8 frames[kLastWordsBytes];
  u8 payload[3 * kMaxVarintBytes + 1 + sizeof(Reason)];
  u8 *end = put_varint(payload, now);
  end = put_varint(end, writer.periods);
  *end++ = (u8)NoteCode::kLost;
  const uptr length = __sanitizer::internal_strlen(why);
  end = put_varint(end, length);
  __sanitizer::internal_memcpy(end, why, length);
  end += length;
  uptr bytes =
      PutFrame(frames, FrameType::kNote, payload, (u32)(end - payload));
  if (with_end) {
    end = put_varint(payload, now);
    *end++ = (u8)EndReason::kFailed;
    *end++ = 0;
    bytes += PutFrame(frames + bytes, FrameType::kEnd, payload,
                      (u32)(end - payload));
  }
  for (uptr done = 0; done < bytes;) {
    uptr n = Syscall(SYS_pwrite64, (uptr)writer.fd, (uptr)frames + done,
                     bytes - done, writer.whole + done);
    if (ErrnoOf(n) == EINTR)
      continue;
    if (Failed(n) || !n) {
      CutTo(writer.whole);
      return false;
    }
    done += n;
  }
  return true;
}

/// Nothing more can be written. `why` is a sentence without its end.
static void Fail(const char *why) {
  if (writer.failed)
    return;
  writer.failed = true;
  Reason note;
  __sanitizer::internal_snprintf(
      note.text, sizeof(note.text),
      "the trace has no period from number %llu on: %s", writer.periods, why);
  const bool stop = GetFlags().on_failure == OnFailure::kStop;
  const bool said = WriteLastWords(note.text, !stop);
  WarnOrStop("cannot write the trace %s: %s. It ends before period %llu%s.%s\n",
             writer.path, why, writer.periods,
             said ? "" : ", without an End frame",
             stop ? "" : " The program runs on.");
}

/// Returns 0 or an errno.
static int WriteAll(iovec *pieces, uptr count) {
  uptr bytes = 0;
  for (uptr i = 0; i < count; ++i)
    bytes += pieces[i].iov_len;
  if (int error = Reserve(bytes))
    return error;
  uptr left = bytes;
  while (left) {
    uptr n = Syscall(SYS_writev, (uptr)writer.fd, (uptr)pieces, count);
    if (ErrnoOf(n) == EINTR)
      continue;
    if (Failed(n) || !n)
      return Failed(n) ? ErrnoOf(n) : EIO;
    left -= n;
    for (; n && n >= pieces->iov_len; --count, ++pieces)
      n -= pieces->iov_len;
    if (n) {
      pieces->iov_base = (u8 *)pieces->iov_base + n;
      pieces->iov_len -= n;
    }
  }
  writer.offset += bytes;
  return 0;
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
  if (int error = WriteAll(pieces, 2))
    LeaveOff("%s", DescribeErrno(error));
}

static void WritePendingFrames(const PageVec<u8> &frames) {
  for (uptr at = 0; at < frames.size();) {
    PendingFrame frame;
    __sanitizer::internal_memcpy(&frame, &frames[at], sizeof(frame));
    at += sizeof(frame);
    WriteFrame(frame.type, &frames[at], frame.bytes);
    at += frame.bytes;
    writer.whole = writer.offset;
  }
}

static void WritePeriod(const PeriodResult &result) {
  WritePendingFrames(result.frames_before);
  PeriodEncoder encoder(result);
  while (encoder.NextPart(writer.payload))
    WriteFrame(FrameType::kPeriod, writer.payload.data(),
               writer.payload.size());
  if (!writer.failed)
    ++writer.periods;
  writer.whole = writer.offset;
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
  // The writer sleeps on this count; for each it counts one as done.
  __atomic_fetch_add(&writer.queued, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&writer.queued);
  while (LoadAcquire(&writer.errand_waits))
    if (!WaitForRawThread(writer.thread, &writer.errand_waits, 1))
      EndWithTraceWriter();
  __atomic_fetch_add(&writer.done, 1, __ATOMIC_RELEASE);
}

void EndWithTraceWriter() {
  if (writer.running && !LoadAcquire(&writer.thread.tid))
    Syscall(SYS_exit, 0);
}

//===- Files and the thread -----------------------------------------------===//

int CreateTraceFile(const char *path, char *taken, int *fd) {
  constexpr int kMostTries = 1000;
  for (int n = -2; n < kMostTries; ++n) {
    int bytes;
    if (n == -2)
      bytes = __sanitizer::internal_snprintf(taken, 4096, "%s", path);
    else if (n == -1)
      bytes = __sanitizer::internal_snprintf(taken, 4096, "%s.%u", path,
                                             GetPidRaw());
    else
      bytes = __sanitizer::internal_snprintf(taken, 4096, "%s.%u.%d", path,
                                             GetPidRaw(), n + 1);
    if (bytes >= 4096)
      return ENAMETOOLONG;
    uptr result =
        Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)taken,
                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (!Failed(result)) {
      *fd = (int)result;
      return 0;
    }
    if (ErrnoOf(result) != EEXIST)
      return ErrnoOf(result);
  }
  return EEXIST;
}

void StartTraceWriter(int fd, const char *path, const FileHeader &header,
                      const PageVec<u8> &first) {
  writer.fd = fd;
  writer.failed = false;
  writer.offset = writer.whole = writer.reserved = 0;
  writer.no_reservation = false;
  writer.periods = 0;
  writer.stop = 0;
  __sanitizer::internal_strncpy(writer.path, path, sizeof(writer.path) - 1);
  if (!writer.compressor)
    writer.compressor =
        ZSTD_createCCtx_advanced({ZstdAlloc, ZstdFree, nullptr});
  if (!writer.compressor)
    LeaveOff("out of memory for the compressor");
  FileHeader copy = header;
  copy.hash = XXH3_64bits(&copy, __builtin_offsetof(FileHeader, hash));
  iovec piece = {&copy, sizeof(copy)};
  if (int error = WriteAll(&piece, 1))
    LeaveOff("%s", DescribeErrno(error));
  writer.whole = writer.offset;
  WritePendingFrames(first);
  writer.thread.run = RunWriter;
  writer.thread.name = "pagetide-write";
  writer.thread.share_fds = true;
  if (int error = StartRawThread(writer.thread))
    LeaveOff("no thread for it can be made: %s", DescribeErrno(error));
  writer.running = true;
  SetReleasingThread(&writer.thread);
}

void StopTraceWriter(const char *why) {
  if (!writer.running)
    return;
  DrainTraceWriter();
  StoreRelease(&writer.stop, 1);
  __atomic_fetch_add(&writer.queued, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&writer.queued);
  JoinRawThread(writer.thread);
  __atomic_fetch_add(&writer.done, 1, __ATOMIC_RELEASE);
  writer.running = false;
  SetReleasingThread(nullptr);
  if (!writer.failed && why) {
    writer.failed = true;
    WriteLastWords(why, true);
  }
  // What was reserved and not used is given back.
  if (!writer.failed && writer.reserved > writer.offset)
    CutTo(writer.offset);
  // Network file systems tell only now.
  const int error = ErrnoOf(Syscall(SYS_close, (uptr)writer.fd));
  if (error && error != EINTR)
    Warning("the trace %s may lack its end: closing it failed with %s.\n",
            writer.path, DescribeErrno(error));
}

} // namespace pagetide

//===- trace_writer.cpp - Writes the trace, behind the recorder -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trace_writer.h"

#include "flags.h"
#include "messages.h"
#include "raw_thread.h"
#include "recorder_state.h"
#include "trace_encode.h"

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
  int error;  ///< errno that ended writing; 0 while all is well
  u64 offset; ///< end of the last whole frame
  char path[4096];
  ZSTD_CCtx *compressor;
  PageVec<u8> payload, compressed;

  Lock lock; ///< of the queue and the pool
  PeriodResult *head, *tail;
  PeriodResult *pool;
  u32 queued; ///< counts; the writer sleeps on it
  u32 done;   ///< counts; DrainTraceWriter sleeps on it
  u32 stop;
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

static void Fail(int error) {
  if (writer.error)
    return;
  writer.error = error;
  // A torn frame would only make a reader complain of damage.
  Syscall(SYS_ftruncate, (uptr)writer.fd, writer.offset);
  Warning("cannot write the trace %s: %s. It ends here; the program runs on "
          "and is no longer recorded.\n",
          writer.path, DescribeErrno(error));
}

static void WriteAll(iovec *pieces, uptr count) {
  uptr bytes = 0;
  for (uptr i = 0; i < count; ++i)
    bytes += pieces[i].iov_len;
  uptr left = bytes;
  while (left) {
    uptr n = Syscall(SYS_writev, (uptr)writer.fd, (uptr)pieces, count);
    if (ErrnoOf(n) == EINTR)
      continue;
    if (Failed(n) || !n)
      return Fail(Failed(n) ? ErrnoOf(n) : EIO);
    left -= n;
    for (; n && n >= pieces->iov_len; --count, ++pieces)
      n -= pieces->iov_len;
    if (n) {
      pieces->iov_base = (u8 *)pieces->iov_base + n;
      pieces->iov_len -= n;
    }
  }
  writer.offset += bytes;
}

static void WriteFrame(FrameType type, const u8 *payload, uptr bytes) {
  if (writer.error)
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
  WriteAll(pieces, 2);
}

static void WritePendingFrames(const PageVec<u8> &frames) {
  for (uptr at = 0; at < frames.size();) {
    PendingFrame frame;
    __sanitizer::internal_memcpy(&frame, &frames[at], sizeof(frame));
    at += sizeof(frame);
    WriteFrame(frame.type, &frames[at], frame.bytes);
    at += frame.bytes;
  }
}

static void WritePeriod(const PeriodResult &result) {
  WritePendingFrames(result.frames_before);
  PeriodEncoder encoder(result);
  while (encoder.NextPart(writer.payload))
    WriteFrame(FrameType::kPeriod, writer.payload.data(),
               writer.payload.size());
  WritePendingFrames(result.frames_after);
}

//===- Queue and pool -----------------------------------------------------===//

PeriodResult *NewPeriodResult() {
  PeriodResult *result;
  {
    RawThreadLock hold(writer.lock);
    result = writer.pool;
    if (result)
      writer.pool = result->next;
  }
  if (!result)
    result = (PeriodResult *)MapAnonymous(sizeof(PeriodResult), false);
  if (!result)
    Fatal("out of memory for a page set.\n");
  result->set.Clear();
  result->hashes.clear();
  result->combined = {};
  result->frames_before.clear();
  result->frames_after.clear();
  result->next = nullptr;
  return result;
}

void RecyclePeriodResult(PeriodResult *result) {
  RawThreadLock hold(writer.lock);
  result->next = writer.pool;
  writer.pool = result;
}

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
    PeriodResult *result = Dequeue();
    if (!result) {
      if (LoadAcquire(&writer.stop))
        return;
      FutexWait(&writer.queued, seen);
      continue;
    }
    WritePeriod(*result);
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
  return !writer.error;
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

int StartTraceWriter(int fd, const char *path, const FileHeader &header,
                     const PageVec<u8> &first) {
  writer.fd = fd;
  writer.error = 0;
  writer.offset = 0;
  writer.stop = 0;
  __sanitizer::internal_strncpy(writer.path, path, sizeof(writer.path) - 1);
  if (!writer.compressor)
    writer.compressor =
        ZSTD_createCCtx_advanced({ZstdAlloc, ZstdFree, nullptr});
  if (!writer.compressor)
    return ENOMEM;
  FileHeader copy = header;
  copy.hash = XXH3_64bits(&copy, __builtin_offsetof(FileHeader, hash));
  iovec piece = {&copy, sizeof(copy)};
  WriteAll(&piece, 1);
  WritePendingFrames(first);
  if (writer.error)
    return writer.error;
  writer.thread.run = RunWriter;
  writer.thread.name = "pagetide-write";
  writer.thread.share_fds = true;
  int error = StartRawThread(writer.thread);
  writer.running = !error;
  return error;
}

void StopTraceWriter() {
  if (!writer.running)
    return;
  DrainTraceWriter();
  StoreRelease(&writer.stop, 1);
  __atomic_fetch_add(&writer.queued, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&writer.queued);
  JoinRawThread(writer.thread);
  __atomic_fetch_add(&writer.done, 1, __ATOMIC_RELEASE);
  writer.running = false;
  Syscall(SYS_close, (uptr)writer.fd);
}

} // namespace pagetide

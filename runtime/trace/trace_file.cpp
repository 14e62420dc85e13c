//===- trace_file.cpp - The file of a trace -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_file.h"

#include "pagetide/trace_encoding.h"
#include "platform/bailout.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace __sanitizer;

namespace pagetide {

using namespace trace;

/// Room reserved for the last words of a trace that cannot be continued: a note
/// and an End frame. They fit even if the disk is full.
constexpr u64 kLastWordsBytes = 1024;
/// Room reserved at a time: as much as the file has, but no more than this. To
/// give much of it back at the end may take longer than a short program does.
constexpr u64 kReserveStep = 64 * 1024;
/// Room is given in blocks, which file systems rarely have larger.
constexpr u64 kBlockBytes = 4096;

static u64 BlocksUp(u64 bytes) {
  return (bytes + kBlockBytes - 1) & ~(kBlockBytes - 1);
}

static bool MeansFull(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

/// Makes the file system reserve room up to `end`. Returns 0 or an errno.
static int ReserveUpTo(TraceFile &file, u64 end) {
  constexpr uptr kKeepSize = 1; // FALLOC_FL_KEEP_SIZE
  uptr result;
  do
    result = Syscall(SYS_fallocate, (uptr)file.fd, kKeepSize, file.reserved,
                     end - file.reserved);
  while (ErrnoOf(result) == EINTR);
  if (!Failed(result))
    file.reserved = end;
  return ErrnoOf(result);
}

/// Reserves room for `bytes` more and the last words. Returns 0 or an errno.
/// Does nothing on file systems without fallocate.
static int Reserve(TraceFile &file, u64 bytes) {
  const u64 end = file.offset + bytes + kLastWordsBytes;
  if (file.no_reservation || end <= file.reserved)
    return 0;
  const u64 ahead = file.offset < kReserveStep ? file.offset : kReserveStep;
  int error = ReserveUpTo(file, BlocksUp(end + ahead));
  if (MeansFull(error))
    error = ReserveUpTo(file, end);
  if (!error || MeansFull(error))
    return error;
  file.no_reservation = true;
  return 0;
}

/// Shortens the file. Returns 0 or an errno.
static int CutTo(TraceFile &file, u64 offset) {
  uptr result;
  do
    result = Syscall(SYS_ftruncate, (uptr)file.fd, offset);
  while (ErrnoOf(result) == EINTR);
  return ErrnoOf(result);
}

void ReleaseReserved(TraceFile &file) {
  if (file.reserved > BlocksUp(file.offset))
    CutTo(file, file.offset);
}

/// Puts an uncompressed frame at `at`. Returns its size.
static uptr PutFrame(u8 *at, FrameType type, const u8 *payload, u32 bytes) {
  FrameHeader header = {};
  header.magic = kFrameMagic;
  header.type = type;
  header.flags = kFrameRaw;
  header.raw_bytes = header.stored_bytes = bytes;
  header.hash = XXH3_64bits_withSeed(payload, bytes, frame_seed(header));
  internal_memcpy(at, &header, sizeof(header));
  internal_memcpy(at + sizeof(header), payload, bytes);
  return sizeof(header) + bytes;
}

namespace {
/// Payload of the last words, with room for the longest Reason.
struct Payload {
  u8 data[4 * kMaxVarintBytes + 1 + sizeof(Reason)];
  uptr bytes = 0;
  void push_back(u8 byte) { data[bytes++] = byte; }
};
} // namespace

bool WriteLastWords(TraceFile &file, const char *why, const EndReason *reason) {
  // A torn frame would hide the frames after it.
  if (CutTo(file, file.whole))
    return false;
  const u64 now = MonotonicNs();
  u8 frames[kLastWordsBytes];
  Payload payload;
  // Without an End frame, `pagetide record` may add all that is missing.
  const NoteCode code = reason ? NoteCode::kLost : NoteCode::kInfo;
  PayloadEncoder<Payload>(payload).note(now, file.periods, code,
                                        {why, internal_strlen(why)});
  uptr bytes =
      PutFrame(frames, FrameType::kNote, payload.data, (u32)payload.bytes);
  if (reason) {
    payload.bytes = 0;
    PayloadEncoder<Payload>(payload).end(now, *reason, /*detail=*/0,
                                         file.periods);
    bytes += PutFrame(frames + bytes, FrameType::kEnd, payload.data,
                      (u32)payload.bytes);
  }
  for (uptr done = 0; done < bytes;) {
    uptr n = Syscall(SYS_pwrite64, (uptr)file.fd, (uptr)frames + done,
                     bytes - done, file.whole + done);
    if (ErrnoOf(n) == EINTR)
      continue;
    if (Failed(n) || !n) {
      CutTo(file, file.whole);
      return false;
    }
    done += n;
  }
  return true;
}

int WriteAll(TraceFile &file, iovec *pieces, uptr count) {
  uptr bytes = 0;
  for (uptr i = 0; i < count; ++i)
    bytes += pieces[i].iov_len;
  if (int error = Reserve(file, bytes))
    return error;
  uptr left = bytes;
  while (left) {
    uptr n = Syscall(SYS_writev, (uptr)file.fd, (uptr)pieces, count);
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
  __atomic_store_n(&file.offset, file.offset + bytes, __ATOMIC_RELAXED);
  return 0;
}

int CreateTraceFile(const char *path, char *taken, int *fd) {
  constexpr int kMaxTries = 1000;
  for (int n = -2; n < kMaxTries; ++n) {
    int bytes;
    if (n == -2)
      bytes = internal_snprintf(taken, 4096, "%s", path);
    else if (n == -1)
      bytes = internal_snprintf(taken, 4096, "%s.%u", path, GetPidRaw());
    else
      bytes =
          internal_snprintf(taken, 4096, "%s.%u.%d", path, GetPidRaw(), n + 1);
    if (bytes >= 4096)
      return ENAMETOOLONG;
    uptr result =
        Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)taken,
                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (!Failed(result)) {
      *fd = (int)result;
      // The lock is held until all descriptors of this file are closed. It
      // tells `pagetide record` not to replace a trace that is being written. A
      // failure does no harm to the trace.
      Syscall(SYS_flock, result, LOCK_EX | LOCK_NB);
      return 0;
    }
    if (ErrnoOf(result) != EEXIST)
      return ErrnoOf(result);
  }
  return EEXIST;
}

} // namespace pagetide

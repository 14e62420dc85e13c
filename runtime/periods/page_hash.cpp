//===- page_hash.cpp - Hash the contents of pages, safely -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "periods/page_hash.h"

#include "periods/relative_hash.h"
#include "periods/wide_hash.h"
#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/internal_mem.h"
#include "platform/own_memory.h"

#include "sanitizer_common/sanitizer_common.h"

#include <cpuid.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace pagetide {

/// Bytes read by one call. Small enough to stay in the second-level cache until
/// hashed. A larger granule is read piece by piece.
constexpr uptr kBatchBytes = 256 * 1024;
constexpr uptr kMaxPieces = 512; // below the kernel's UIO_MAXIOV, 1024

/// How pages are read without the risk of a fault.
enum class ReadWay : u8 {
  /// pwritev copies them to a memory file, whose mapping is the buffer.
  kFile,
  /// process_vm_readv, at twice the time: it looks each page up.
  kCall,
  kNone, ///< the system forbids both
};

struct Reading {
  ReadWay way;
  u8 *buffer;      ///< kBatchBytes; null: not mapped yet
  int fd_plus_one; ///< of the memory file; 0: not made
  int refused;     ///< why neither is possible
  bool reported;
};
PAGETIDE_RECORDER_STATE static Reading reading;

static bool MapFileBuffer() {
  if (reading.buffer)
    return true;
  const uptr fd = Syscall(SYS_memfd_create, (uptr) "pagetide-pages", 1);
  if (Failed(fd))
    return false;
  const uptr p =
      Failed(Syscall(SYS_ftruncate, fd, kBatchBytes))
          ? ~uptr{0}
          : Syscall(SYS_mmap, 0, kBatchBytes, PROT_READ, MAP_SHARED, fd, 0);
  if (Failed(p)) {
    Syscall(SYS_close, fd);
    return false;
  }
  Syscall(SYS_madvise, p, kBatchBytes, MADV_DONTDUMP);
  reading.buffer = (u8 *)p;
  reading.fd_plus_one = (int)fd + 1;
  return true;
}

static void MapCallBuffer() {
  if (reading.buffer)
    Unmap(reading.buffer, kBatchBytes);
  if (reading.fd_plus_one)
    Syscall(SYS_close, (uptr)reading.fd_plus_one - 1);
  reading.fd_plus_one = 0;
  reading.buffer = (u8 *)MapAnonymous(kBatchBytes, false);
  if (!reading.buffer)
    BailOut("out of memory for hashing pages");
  reading.way = ReadWay::kCall;
}

int TakeReadingRefused() {
  if (!reading.refused || reading.reported)
    return 0;
  reading.reported = true;
  return reading.refused;
}

/// Reads remote pieces into the buffer, in order. Returns how many bytes came
/// before the first that could not be read.
static uptr ReadPieces(u32 tid, const iovec *pieces, uptr count, uptr bytes) {
  if (reading.way == ReadWay::kFile) {
    if (MapFileBuffer()) {
      const uptr n = Syscall(SYS_pwritev, (uptr)reading.fd_plus_one - 1,
                             (uptr)pieces, count, 0, 0);
      if (!Failed(n))
        return n;
      if (ErrnoOf(n) == EFAULT)
        return 0;
    }
    MapCallBuffer();
  }
  if (reading.way == ReadWay::kNone)
    return 0;
  iovec local = {reading.buffer, bytes};
  const uptr n = Syscall(SYS_process_vm_readv, tid, (uptr)&local, 1,
                         (uptr)pieces, count, 0);
  if (!Failed(n))
    return n;
  if (ErrnoOf(n) != EFAULT) {
    reading.refused = ErrnoOf(n);
    reading.way = ReadWay::kNone;
  }
  return 0;
}

/// True if process_vm_readv can read what the memory file did not take: the
/// program may have lowered its limit of file sizes (RLIMIT_FSIZE).
static bool CanAllBeRead(u32 tid, uptr address, uptr bytes) {
  for (uptr at = address; at < address + bytes; at += kPageBytes) {
    u8 byte;
    iovec local = {&byte, 1}, remote = {(void *)at, 1};
    if (Failed(Syscall(SYS_process_vm_readv, tid, (uptr)&local, 1,
                       (uptr)&remote, 1, 0)))
      return false;
  }
  return true;
}

static bool IsMapped(uptr address, uptr bytes) {
  // mincore fails with ENOMEM if a page of the range is not mapped. The vector
  // has one byte per page; a granule has at most 512 pages.
  u8 resident[512];
  return !Failed(Syscall(SYS_mincore, PageDown(address),
                         bytes < kPageBytes ? kPageBytes : bytes,
                         (uptr)resident));
}

static void MarkUnread(PageHash &page, uptr address, uptr bytes) {
  page.hash = 0;
  page.state = IsMapped(address, bytes) ? ChecksumState::kUnreadable
                                        : ChecksumState::kGone;
}

/// Copies bytes of the buffer to `offset` of the page's copy, if it has one.
static void CopyOut(const PageUse &use, const PageHash &page, uptr granule,
                    uptr offset, const u8 *from, uptr bytes) {
  if (use.copies && page.copy)
    InternalMemcpy(use.copies + (page.copy - 1) * granule + offset, from,
                   bytes);
}

/// A granule larger than the buffer.
static void HashLarge(u32 tid, PageHash &page, uptr address, uptr bytes,
                      const PageUse &use) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  u64 relative = 0;
  for (uptr done = 0; done < bytes; done += kBatchBytes) {
    iovec piece = {(void *)(address + done), kBatchBytes};
    while (ReadPieces(tid, &piece, 1, kBatchBytes) != kBatchBytes) {
      if (reading.way != ReadWay::kFile || !CanAllBeRead(tid, address, bytes))
        return MarkUnread(page, address, bytes);
      MapCallBuffer();
    }
    CopyOut(use, page, bytes, done, reading.buffer, kBatchBytes);
    if (!use.hash)
      continue;
    XXH3_64bits_update(&state, reading.buffer, kBatchBytes);
    if (HasRelativeMappings())
      relative =
          RelativeHash(relative, address + done, reading.buffer, kBatchBytes);
  }
  if (!use.hash)
    return;
  page.hash = XXH3_64bits_digest(&state);
  page.relative = relative;
}

/// Asks the processor once. (__builtin_cpu_supports would ask at every start,
/// also of a process without checksums. Virtual machines trap each cpuid
/// instruction, and that takes 0.1 ms.)
static bool HasAvx2() {
  enum class Answer : u8 { kUnknown, kNo, kYes };
  PAGETIDE_RECORDER_STATE static Answer answer;
  if (answer == Answer::kUnknown) {
    u32 a, b, c = 0, d, low = 0, high;
    const bool has_state = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
    if (has_state) // does the kernel keep AVX's registers?
      asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    constexpr u32 kVectorState = 6;
    const bool has = (low & kVectorState) == kVectorState &&
                     __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
    answer = has ? Answer::kYes : Answer::kNo;
  }
  return answer == Answer::kYes;
}

static u64 HashPortably(const u8 *p, uptr bytes) {
  return XXH3_64bits(p, bytes);
}

void HashPages(u32 tid, PageVec<PageHash> &pages, const PageUse &use) {
  const auto hash = HasAvx2() ? HashByAvx2 : HashPortably;
  const u32 shift = shadow.unit_shift;
  const uptr bytes = uptr{1} << shift;
  const uptr per_batch = kBatchBytes >> shift;
  uptr *batch = nullptr;
  PAGETIDE_RECORDER_STATE static PageVec<uptr> indices;
  indices.clear();
  for (uptr i = 0; i < pages.size(); ++i)
    if (pages[i].state == ChecksumState::kStable)
      indices.push_back(i);
  if (per_batch < 2) {
    for (uptr i : indices)
      HashLarge(tid, pages[i], pages[i].granule << shift, bytes, use);
    return;
  }
  for (uptr at = 0; at < indices.size();) {
    // Neighbouring granules make one piece.
    iovec pieces[kMaxPieces];
    uptr piece_count = 0, granules = 0;
    batch = &indices[at];
    for (; at + granules < indices.size() && granules < per_batch; ++granules) {
      uptr address = pages[batch[granules]].granule << shift;
      iovec *last = piece_count ? &pieces[piece_count - 1] : nullptr;
      if (last && (uptr)last->iov_base + last->iov_len == address) {
        last->iov_len += bytes;
        continue;
      }
      if (piece_count == kMaxPieces)
        break;
      pieces[piece_count++] = {(void *)address, bytes};
    }
    uptr got = ReadPieces(tid, pieces, piece_count, granules * bytes) / bytes;
    for (uptr i = 0; i < got; ++i) {
      PageHash &page = pages[batch[i]];
      CopyOut(use, page, bytes, 0, reading.buffer + i * bytes, bytes);
      if (!use.hash)
        continue;
      page.hash = hash(reading.buffer + i * bytes, bytes);
      if (HasRelativeMappings())
        page.relative = RelativeHash(0, page.granule << shift,
                                     reading.buffer + i * bytes, bytes);
    }
    if (got < granules) { // granule `got` cannot be read; try the rest again
      PageHash &page = pages[batch[got]];
      const uptr address = page.granule << shift;
      if (reading.way == ReadWay::kFile && CanAllBeRead(tid, address, bytes)) {
        MapCallBuffer();
      } else {
        MarkUnread(page, address, bytes);
        ++got;
      }
    }
    at += got;
  }
}

uptr FirstPageAt(const PageVec<PageHash> &pages, u64 granule) {
  return __sanitizer::InternalLowerBound(
      pages, granule,
      [](const PageHash &page, u64 at) { return page.granule < at; });
}

CombinedChecksum Combine(const PageVec<PageHash> &pages) {
  CombinedChecksum result = {};
  for (const PageHash &page : pages) {
    if (page.state != ChecksumState::kStable) {
      ++result.left_out;
      continue;
    }
    trace::CombinedInput input = {page.granule << shadow.unit_shift, page.hash};
    result.sum += XXH3_64bits(&input, sizeof(input));
    ++result.stable;
  }
  return result;
}

} // namespace pagetide

//===- page_hash.cpp - Hash the contents of pages, safely -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "periods/page_hash.h"

#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/own_memory.h"

#include "sanitizer_common/sanitizer_common.h"

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

/// A memory file, used if process_vm_readv is forbidden. pwritev copies pages
/// to it just as safely, and its mapping is the buffer.
struct CopyFile {
  bool wanted;
  int fd_plus_one; ///< 0: not made
  int error;       ///< of what is forbidden, or 0
  bool warned;
};
PAGETIDE_RECORDER_STATE static CopyFile copy_file;
PAGETIDE_RECORDER_STATE static u8 *buffer;

static u8 *Buffer() {
  if (!buffer)
    buffer = (u8 *)MapAnonymous(kBatchBytes, false);
  if (!buffer)
    BailOut("out of memory for hashing pages");
  return buffer;
}

static void MakeCopyFile(int refused) {
  copy_file.wanted = true;
  uptr fd = Syscall(SYS_memfd_create, (uptr) "pagetide-pages", 1);
  if (Failed(fd) || Failed(Syscall(SYS_ftruncate, fd, kBatchBytes))) {
    copy_file.error = refused;
    return;
  }
  uptr p = Syscall(SYS_mmap, 0, kBatchBytes, PROT_READ, MAP_SHARED, fd, 0);
  if (Failed(p)) {
    copy_file.error = refused;
    return;
  }
  Syscall(SYS_madvise, p, kBatchBytes, MADV_DONTDUMP);
  if (buffer)
    Unmap(buffer, kBatchBytes);
  buffer = (u8 *)p;
  copy_file.fd_plus_one = (int)fd + 1;
}

int TakeReadingRefused() {
  if (!copy_file.error || copy_file.warned)
    return 0;
  copy_file.warned = true;
  return copy_file.error;
}

/// Reads remote pieces into the buffer, in order. Returns how many bytes came
/// before the first that could not be read.
static uptr ReadPieces(u32 tid, const iovec *pieces, uptr count, uptr bytes) {
  if (!copy_file.wanted) {
    iovec local = {Buffer(), bytes};
    uptr n = Syscall(SYS_process_vm_readv, tid, (uptr)&local, 1, (uptr)pieces,
                     count, 0);
    if (!Failed(n))
      return n;
    if (ErrnoOf(n) == EFAULT)
      return 0;
    MakeCopyFile(ErrnoOf(n));
  }
  if (!copy_file.fd_plus_one)
    return 0;
  uptr n = Syscall(SYS_pwritev, (uptr)copy_file.fd_plus_one - 1, (uptr)pieces,
                   count, 0, 0);
  if (Failed(n) && ErrnoOf(n) != EFAULT)
    copy_file.error = ErrnoOf(n);
  return Failed(n) ? 0 : n;
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

/// A granule larger than the buffer.
static void HashLarge(u32 tid, PageHash &page, uptr address, uptr bytes) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (uptr done = 0; done < bytes; done += kBatchBytes) {
    iovec piece = {(void *)(address + done), kBatchBytes};
    if (ReadPieces(tid, &piece, 1, kBatchBytes) != kBatchBytes)
      return MarkUnread(page, address, bytes);
    XXH3_64bits_update(&state, Buffer(), kBatchBytes);
  }
  page.hash = XXH3_64bits_digest(&state);
}

void HashPages(u32 tid, PageVec<PageHash> &pages) {
  const u32 shift = shadow.module.granule_shift;
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
      HashLarge(tid, pages[i], pages[i].granule << shift, bytes);
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
    for (uptr i = 0; i < got; ++i)
      pages[batch[i]].hash = XXH3_64bits(Buffer() + i * bytes, bytes);
    if (got < granules) { // granule `got` cannot be read; try the rest again
      PageHash &page = pages[batch[got]];
      MarkUnread(page, page.granule << shift, bytes);
      ++got;
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
    trace::CombinedInput input = {page.granule << shadow.module.granule_shift,
                                  page.hash};
    result.sum += XXH3_64bits(&input, sizeof(input));
    ++result.stable;
  }
  return result;
}

} // namespace pagetide

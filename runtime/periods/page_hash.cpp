//===- page_hash.cpp - Hash the contents of pages, safely -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "periods/page_hash.h"

#include "arch/processor.h"
#include "periods/relative_hash.h"
#include "periods/wide_hash.h"
#include "platform/bailout.h"
#include "platform/fork_reset.h"
#include "platform/internal_mem.h"
#include "platform/own_memory.h"
#include "platform/program_memory.h"

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

/// How pages are read without the risk of a fault.
enum class ReadWay : u8 {
  /// pwritev copies them to a memory file, whose mapping is the buffer.
  kFile,
  /// process_vm_readv, at twice the time: it looks each page up.
  kCall,
  kNone, ///< the system forbids both
};

PAGETIDE_RECORDER_STATE static ReadWay way;
PAGETIDE_RECORDER_STATE static u8 *buffer; // kBatchBytes; null: not mapped yet
/// Of the memory file; 0: not made.
PAGETIDE_RECORDER_STATE static int fd_plus_one;
/// Why pages cannot be read in any way.
PAGETIDE_RECORDER_STATE static int refused;
PAGETIDE_RECORDER_STATE static bool reported;

static bool MapFileBuffer() {
  if (buffer)
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
  buffer = (u8 *)p;
  fd_plus_one = (int)fd + 1;
  return true;
}

static void Refuse(int error) {
  refused = error;
  way = ReadWay::kNone;
}

static void MapCallBuffer() {
  if (buffer)
    Unmap(buffer, kBatchBytes);
  if (fd_plus_one)
    Syscall(SYS_close, (uptr)fd_plus_one - 1);
  fd_plus_one = 0;
  buffer = (u8 *)MapAnonymous(kBatchBytes, false);
  way = ReadWay::kCall;
  if (!buffer)
    Refuse(ENOMEM);
}

int TakeReadingRefused() {
  if (!refused || reported)
    return 0;
  reported = true;
  return refused;
}

namespace {
/// Pages to be read.
struct Job {
  u32 tid;
  PageVec<PageHash> *pages;
  PageVec<uptr> indices; ///< of those to read
  PageUse use;
  u64 (*hash)(const u8 *p, uptr bytes);
  const ReadingHelp *help;

  PageHash &PageAt(uptr at) const { return (*pages)[indices[at]]; }
};
} // namespace

PAGETIDE_RECORDER_STATE static Job job;

/// Reads pieces of job.use.memory, as ReadPieces does.
static uptr ReadCopies(const iovec *pieces, uptr count) {
  uptr bytes = 0;
  for (uptr i = 0; i < count; ++i) {
    const uptr n =
        Syscall(SYS_pread64, (uptr)job.use.memory, (uptr)buffer + bytes,
                pieces[i].iov_len, (uptr)pieces[i].iov_base);
    bytes += Failed(n) ? 0 : n;
    if (n != pieces[i].iov_len)
      break;
  }
  return bytes;
}

/// Reads remote pieces into the buffer, in order. Returns how many bytes came
/// before the first that could not be read.
static uptr ReadPieces(u32 tid, const iovec *pieces, uptr count, uptr bytes) {
  if (way == ReadWay::kFile) {
    if (MapFileBuffer()) {
      const uptr n = Syscall(SYS_pwritev, (uptr)fd_plus_one - 1, (uptr)pieces,
                             count, 0, 0);
      if (!Failed(n))
        return n;
      if (ErrnoOf(n) == EFAULT)
        return 0;
    }
    MapCallBuffer();
  }
  if (way == ReadWay::kNone)
    return 0;
  if (job.use.memory)
    return ReadCopies(pieces, count);
  iovec local = {buffer, bytes};
  const uptr n = Syscall(SYS_process_vm_readv, tid, (uptr)&local, 1,
                         (uptr)pieces, count, 0);
  if (!Failed(n))
    return n;
  if (ErrnoOf(n) != EFAULT)
    Refuse(ErrnoOf(n));
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

static void MarkUnread(PageHash &page, uptr address, uptr bytes) {
  page.hash = 0;
  page.state = IsMapped(address, bytes) ? ChecksumState::kUnreadable
                                        : ChecksumState::kGone;
}

/// Where the page's copy is to be; null if it has none.
static u8 *CopyOf(const PageUse &use, const PageHash &page, uptr granule) {
  return use.copies && page.copy ? use.copies + (page.copy - 1) * granule
                                 : nullptr;
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
      if (way != ReadWay::kFile || !CanAllBeRead(tid, address, bytes))
        return MarkUnread(page, address, bytes);
      MapCallBuffer();
    }
    if (u8 *copy = CopyOf(use, page, bytes))
      InternalMemcpy(copy + done, buffer, kBatchBytes);
    if (!use.hash)
      continue;
    XXH3_64bits_update(&state, buffer, kBatchBytes);
    if (HasRelativeMappings())
      relative = RelativeHash(relative, address + done, buffer, kBatchBytes);
  }
  if (!use.hash)
    return;
  page.hash = XXH3_64bits_digest(&state);
  page.relative = relative;
}

/// Asks the processor once, and only in processes with checksums.
static bool MayHashWide() {
  enum class Answer : u8 { kUnknown, kNo, kYes };
  PAGETIDE_RECORDER_STATE static Answer answer;
  if (answer == Answer::kUnknown)
    answer = HasWideVectors() ? Answer::kYes : Answer::kNo;
  return answer == Answer::kYes;
}

static u64 HashPortably(const u8 *p, uptr bytes) {
  return XXH3_64bits(p, bytes);
}

/// Hashes a page whose bytes are at `from`.
static void HashOne(PageHash &page, const u8 *from) {
  const uptr bytes = uptr{1} << shadow.unit_shift;
  page.hash = job.hash(from, bytes);
  if (HasRelativeMappings())
    page.relative =
        RelativeHash(0, page.granule << shadow.unit_shift, from, bytes);
}

/// Reads as many of the indices from `at` on as one call takes. Returns how
/// many.
static uptr HashBatch(uptr at) {
  const u32 shift = shadow.unit_shift;
  const uptr bytes = uptr{1} << shift;
  if (bytes >= kBatchBytes) {
    PageHash &page = job.PageAt(at);
    HashLarge(job.tid, page, page.granule << shift, bytes, job.use);
    return 1;
  }
  // Neighbouring granules make one piece.
  iovec pieces[kMaxPieces];
  uptr piece_count = 0, granules = 0;
  const uptr most =
      __sanitizer::Min(kBatchBytes / bytes, job.indices.size() - at);
  for (; granules < most; ++granules) {
    const uptr address = job.PageAt(at + granules).granule << shift;
    iovec *last = piece_count ? &pieces[piece_count - 1] : nullptr;
    if (last && (uptr)last->iov_base + last->iov_len == address) {
      last->iov_len += bytes;
      continue;
    }
    if (piece_count == kMaxPieces)
      break;
    pieces[piece_count++] = {(void *)address, bytes};
  }
  uptr got = ReadPieces(job.tid, pieces, piece_count, granules * bytes) / bytes;
  for (uptr i = 0; i < got; ++i) {
    PageHash &page = job.PageAt(at + i);
    const u8 *read = buffer + i * bytes;
    if (u8 *copy = CopyOf(job.use, page, bytes))
      InternalMemcpy(copy, read, bytes);
    if (job.use.hash)
      HashOne(page, read);
  }
  if (got < granules) { // granule `got` cannot be read; try the rest again
    PageHash &page = job.PageAt(at + got);
    const uptr address = page.granule << shift;
    if (way == ReadWay::kFile && CanAllBeRead(job.tid, address, bytes)) {
      MapCallBuffer();
    } else {
      MarkUnread(page, address, bytes);
      ++got;
    }
  }
  return got;
}

/// Reads a page where it is. Its copy, if it has one, is hashed in its place:
/// what is told of it and what is copied are then of one reading.
static void HashInPlace(void *argument) {
  PageHash &page = *(PageHash *)argument;
  const u32 shift = shadow.unit_shift;
  const uptr bytes = uptr{1} << shift;
  const u8 *from = (const u8 *)(page.granule << shift);
  if (u8 *copy = CopyOf(job.use, page, bytes)) {
    InternalMemcpy(copy, from, bytes);
    from = copy;
  }
  if (job.use.hash)
    HashOne(page, from);
}

/// What a reader takes at a time: so little that several readers end at about
/// the same moment.
constexpr uptr kShareBytes = 256 * 1024;
static uptr IndicesPerShare() {
  return __sanitizer::Max(kShareBytes >> shadow.unit_shift, uptr{1});
}

/// The state of a page that the faulting readers left to the caller.
constexpr ChecksumState kLeft = ChecksumState::kNone;

static void HashPartInPlace(u32 reader, u32 part) {
  const uptr first = part * IndicesPerShare();
  const uptr end =
      __sanitizer::Min(first + IndicesPerShare(), job.indices.size());
  for (uptr at = first; at < end; ++at) {
    PageHash &page = job.PageAt(at);
    if (!ReadIfThere(reader, HashInPlace, &page))
      page.state = kLeft;
  }
}

/// Keeps the indices of those that the caller has to read.
static void KeepLeft(bool all) {
  uptr kept = 0;
  for (uptr at = 0; at < job.indices.size(); ++at)
    if (PageHash &page = job.PageAt(at); all || page.state == kLeft) {
      page.state = ChecksumState::kStable;
      job.indices[kept++] = job.indices[at];
    }
  job.indices.resize(kept);
}

void BeginHashPages(u32 tid, PageVec<PageHash> &pages, const PageUse &use,
                    const ReadingHelp *help) {
  job.tid = tid;
  job.pages = &pages;
  job.use = use;
  if (use.memory && way == ReadWay::kFile)
    MapCallBuffer();
  job.hash = MayHashWide() ? HashByAvx2 : HashPortably;
  job.help = help;
  job.indices.clear();
  for (uptr i = 0; i < pages.size(); ++i)
    if (pages[i].state == ChecksumState::kStable)
      job.indices.push_back(i);
  if (help)
    help->begin(
        (u32)((job.indices.size() + IndicesPerShare() - 1) / IndicesPerShare()),
        HashPartInPlace);
}

void FinishHashPages() {
  if (job.help)
    KeepLeft(!job.help->finish());
  for (uptr at = 0; at < job.indices.size();)
    at += HashBatch(at);
}

void HashPages(u32 tid, PageVec<PageHash> &pages, const PageUse &use) {
  BeginHashPages(tid, pages, use, nullptr);
  FinishHashPages();
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

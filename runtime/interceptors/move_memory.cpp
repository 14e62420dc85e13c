//===- move_memory.cpp - mremap of memory that the kernel watches ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/move_memory.h"

#include "pagetide/pagemap_scan.h"
#include "platform/page_vec.h"
#include "platform/proc_maps.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

static uptr Remap(uptr from, uptr old_bytes, uptr bytes, uptr flags, uptr to) {
  return Syscall(SYS_mremap, from, old_bytes, bytes, flags, to);
}

//===- What the range consists of -----------------------------------------===//

bool AnyWatched(uptr begin, uptr end) {
  const uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr) "/proc/thread-self/pagemap",
              O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return false;
  kernel::PageRegion found;
  kernel::ScanArgument argument = {};
  argument.size = sizeof(argument);
  argument.start = begin;
  argument.end = end;
  argument.vector = (uptr)&found;
  argument.vector_length = 1;
  argument.category_mask = argument.return_mask = kernel::kPageWpAllowed;
  const uptr n = Syscall(SYS_ioctl, fd, kernel::kPagemapScan, (uptr)&argument);
  Syscall(SYS_close, fd);
  return !Failed(n) && n;
}

namespace {
/// A mapping's texts in smaps end at a blank or at the line's end.
struct Part {
  uptr begin, end;           ///< as far as it lies in the range
  u64 offset;                ///< of `begin`; files only
  const char *rights, *file; ///< rwxp; device, inode and name
  const char *flags;         ///< VmFlags
};
} // namespace

static const char *EndOfLine(const char *p) {
  while (*p && *p != '\n')
    ++p;
  return p;
}

static bool SameLine(const char *a, const char *b) {
  const uptr bytes = (uptr)(EndOfLine(a) - a);
  return bytes == (uptr)(EndOfLine(b) - b) && !internal_memcmp(a, b, bytes);
}

/// Moves `p` to the next of two letters that does not come from watching, or
/// from having been written.
static void SkipOwnFlags(const char *&p) {
  for (;; ++p) {
    if (*p == ' ')
      continue;
    bool own = false;
    static constexpr const char *kOwn[] = {"um", "uw", "ui", "sd"};
    for (const char *flag : kOwn)
      own |= !internal_memcmp(p, flag, 2);
    if (!own)
      return;
    ++p;
  }
}

static bool SameFlags(const char *a, const char *b) {
  for (;; ++a, ++b) {
    SkipOwnFlags(a);
    SkipOwnFlags(b);
    if (*a != *b)
      return false;
    if (!*a || *a == '\n')
      return true;
  }
}

/// Lists the mappings of [begin, end), from a text of /proc/self/smaps.
static void ListParts(const PageVec<char> &text, uptr begin, uptr end,
                      PageVec<Part> &parts) {
  bool inside = false;
  for (const char *p = text.data(); *p; p = EndOfLine(p), p += *p == '\n') {
    static const char kFlags[] = "VmFlags: ";
    if (*p >= 'A' && *p <= 'Z') {
      if (inside && !internal_strncmp(p, kFlags, sizeof(kFlags) - 1))
        parts.back().flags = p + sizeof(kFlags) - 1;
      continue;
    }
    // start-end rwxp offset major:minor inode      name
    Part part = {};
    const uptr first = part.begin = ParseHex(p);
    part.end = ParseHex(++p);
    inside = part.begin < end && begin < part.end;
    if (!inside)
      continue;
    part.rights = ++p;
    p += sizeof("rwxp");
    part.offset = ParseHex(p);
    part.file = p;
    part.flags = "";
    if (part.begin < begin)
      part.begin = begin;
    if (part.end > end)
      part.end = end;
    part.offset += part.begin - first;
    parts.push_back(part);
  }
}

/// Whether nothing but watching divides neighbours.
static bool IsOneMapping(const PageVec<Part> &parts) {
  for (uptr i = 1; i < parts.size(); ++i) {
    const Part &a = parts[i - 1], &b = parts[i];
    const bool of_file = internal_strncmp(a.file, " 00:00 0", 8) != 0;
    if (a.end != b.begin || internal_memcmp(a.rights, b.rights, 4) ||
        !SameLine(a.file, b.file) || !SameFlags(a.flags, b.flags) ||
        (of_file && a.offset + (a.end - a.begin) != b.offset))
      return false;
  }
  return true;
}

//===- Moving -------------------------------------------------------------===//

/// Linux 6.17 moves several mappings at once, if their size stays.
static bool KernelMovesMany() {
  static u32 answer; // 0: not asked, 1: no, 2: yes
  if (!LoadAcquire(&answer)) {
    const uptr p = (uptr)MapAnonymous(4 * kPageBytes); // which nobody watches
    const bool moves =
        p && !Failed(Syscall(SYS_mprotect, p, kPageBytes, PROT_READ)) &&
        !Failed(Remap(p, 2 * kPageBytes, 2 * kPageBytes,
                      MREMAP_MAYMOVE | MREMAP_FIXED, p + 2 * kPageBytes));
    if (p)
      Unmap((void *)p, 4 * kPageBytes);
    StoreRelease(&answer, moves ? 2u : 1u);
  }
  return LoadAcquire(&answer) == 2;
}

static bool KeepsSize(const MemoryMove &move) {
  return move.flags & MREMAP_FIXED &&
         PageUp(move.old_bytes) == PageUp(move.bytes);
}

/// Moves the parts by as much as lies between `from` and `to`. The last one
/// grows by `more`. Returns 0 or an errno; then as much as could be is where it
/// was.
static int MoveParts(const PageVec<Part> &parts, uptr from, uptr to, uptr more,
                     uptr flags) {
  flags |= MREMAP_MAYMOVE | MREMAP_FIXED;
  for (uptr i = 0; i < parts.size(); ++i) {
    const Part &part = parts[i];
    const uptr bytes = part.end - part.begin;
    const uptr moved =
        Remap(part.begin, bytes, bytes + (i + 1 == parts.size() ? more : 0),
              flags, part.begin - from + to);
    if (!Failed(moved))
      continue;
    while (i--)
      Remap(parts[i].begin - from + to, parts[i].end - parts[i].begin,
            parts[i].end - parts[i].begin, MREMAP_MAYMOVE | MREMAP_FIXED,
            parts[i].begin);
    return ErrnoOf(moved);
  }
  return 0;
}

/// Moves what was one mapping.
static uptr MoveOne(const PageVec<Part> &parts, const MemoryMove &move) {
  const uptr more = PageUp(move.bytes) > PageUp(move.old_bytes)
                        ? PageUp(move.bytes) - PageUp(move.old_bytes)
                        : 0;
  const bool is_fixed = move.flags & MREMAP_FIXED;
  const uptr copies = move.flags & MREMAP_DONTUNMAP;
  if (!is_fixed && !copies) {
    const Part &last = parts[parts.size() - 1];
    const uptr bytes = last.end - last.begin;
    const uptr grown = Remap(last.begin, bytes, bytes + more, 0, 0);
    if (!Failed(grown))
      return move.address;
    if (!(move.flags & MREMAP_MAYMOVE))
      return grown;
  }
  // With MREMAP_DONTUNMAP alone the target is where the kernel looks first.
  const uptr wanted = copies ? move.target : 0;
  const uptr to =
      is_fixed ? move.target
               : Syscall(SYS_mmap, wanted, PageUp(move.bytes), PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, ~uptr{0});
  if (Failed(to))
    return to;
  const int error = MoveParts(parts, move.address, to, more, copies);
  if (!error)
    return to;
  if (!is_fixed)
    Syscall(SYS_munmap, to, PageUp(move.bytes));
  return (uptr)-error;
}

static uptr MoveListed(PageVec<Part> &parts, const MemoryMove &move) {
  const uptr end = PageUp(move.address + move.old_bytes);
  if (parts.empty() || parts[0].begin != move.address)
    return (uptr)-EFAULT;
  if (KeepsSize(move) && KernelMovesMany()) {
    // The kernel stops at the first part that it refuses, too.
    for (const Part &part : parts) {
      const uptr bytes = part.end - part.begin;
      const uptr moved = Remap(part.begin, bytes, bytes, move.flags,
                               part.begin - move.address + move.target);
      if (Failed(moved))
        return moved;
    }
    return move.target;
  }
  if (!IsOneMapping(parts) || parts.back().end != end)
    return (uptr)-EFAULT;
  const uptr kept = PageUp(move.address + move.bytes);
  if (kept < end) { // the kernel gives the rest back first, too
    Syscall(SYS_munmap, kept, end - kept);
    while (parts.back().begin >= kept)
      parts.resize(parts.size() - 1);
    if (parts.back().end > kept)
      parts.back().end = kept;
  }
  return MoveOne(parts, move);
}

bool MustMoveByParts(const MemoryMove &move) {
  return KeepsSize(move) && KernelMovesMany() &&
         AnyWatched(PageDown(move.address),
                    PageUp(move.address + move.old_bytes));
}

static uptr TryByParts(const MemoryMove &move) {
  const uptr end = PageUp(move.address + move.old_bytes);
  const bool is_fixed = move.flags & MREMAP_FIXED;
  const bool overlaps = is_fixed && move.target < end &&
                        move.address < PageUp(move.target + move.bytes);
  PageVec<char> text;
  PageVec<Part> parts;
  if (move.address % kPageBytes == 0 && move.old_bytes && move.bytes &&
      !(is_fixed && move.target % kPageBytes) && !overlaps &&
      AnyWatched(move.address, end) &&
      !ReadTextFile("/proc/thread-self/smaps", text))
    ListParts(text, move.address, end, parts);
  const bool is_whole =
      parts.size() == 1 && parts[0].end - parts[0].begin == end - move.address;
  const uptr result = parts.empty() || is_whole
                          ? Remap(move.address, move.old_bytes, move.bytes,
                                  move.flags, move.target)
                          : MoveListed(parts, move);
  parts.Free();
  text.Free();
  return result;
}

uptr MoveByParts(const MemoryMove &move) {
  // Where the recorder begins to watch at the same time, the list of parts is
  // of no one instant.
  constexpr u32 kTries = 4;
  uptr result = 0;
  for (u32 tries = 0; tries < kTries; ++tries) {
    result = TryByParts(move);
    if (ErrnoOf(result) != EFAULT)
      break;
  }
  return result;
}

} // namespace pagetide

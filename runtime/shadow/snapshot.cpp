//===- snapshot.cpp - Take and clear the marks, atomically ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shadow/snapshot.h"

#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pagetide {

PAGETIDE_RECORDER_STATE static PageVec<ShadowExtent> extents;
/// Bytes that the memfd held when the extents were looked up; 0: look them up
/// again.
PAGETIDE_RECORDER_STATE static u64 known_bytes;

void ForgetExtents() { known_bytes = 0; }

/// Cuts [begin, end) of the slots region at slot boundaries.
static void AddExtent(u64 begin, u64 end) {
  while (begin < end) {
    u64 slot = begin / shadow.slot_bytes;
    u64 slot_end = (slot + 1) * shadow.slot_bytes;
    u64 stop = end < slot_end ? end : slot_end;
    extents.push_back({(u32)slot, begin - slot * shadow.slot_bytes,
                       stop - slot * shadow.slot_bytes});
    begin = stop;
  }
}

/// st_blocks of the memfd, in bytes; 0 if fstat fails.
static u64 BytesInUse(int fd) {
  struct stat status;
  if (Failed(Syscall(SYS_fstat, (uptr)fd, (uptr)&status)))
    return 0;
  return (u64)status.st_blocks * 512;
}

const PageVec<ShadowExtent> &PopulatedExtents(int fd) {
  u64 before = BytesInUse(fd);
  if (before && before == known_bytes)
    return extents;
  extents.clear();
  const ShadowHeader &header = *shadow.header;
  const u64 first = header.slots_offset;
  const u64 last = first + u64{header.slot_high} * shadow.slot_bytes;
  u64 found = 0;
  for (u64 position = 0; position < last;) {
    uptr data = Syscall(SYS_lseek, (uptr)fd, position, SEEK_DATA);
    if (ErrnoOf(data) == ENXIO || (!Failed(data) && data >= last))
      break;
    uptr hole =
        Failed(data) ? data : Syscall(SYS_lseek, (uptr)fd, data, SEEK_HOLE);
    if (Failed(hole))
      BailOut("the parts of the shadow in use cannot be listed: lseek failed "
              "with %s (if a system call filter forbids it, allow lseek)",
              DescribeErrno(ErrnoOf(hole)));
    if (hole > last)
      hole = last;
    found += hole - data;
    if (hole > first)
      AddExtent(data > first ? data - first : 0, hole - first);
    position = hole;
  }
  // The kernel counts a page before SEEK_DATA shows it: a thread may be in the
  // middle of its first touch. The page holds no mark yet, so this answer is
  // right. But it must not be used again.
  known_bytes = found == before && BytesInUse(fd) == before ? before : 0;
  return extents;
}

void DropMarks(u32 slot, u64 begin, u64 end) {
  ForEachMarkedWord(slot, begin, end, [](u64, u64 *word) {
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    return true;
  });
}

void DropMarks(u32 slot, u64 begin, u64 end, u64 mask,
               PageVec<StagedWord> &dropped) {
  const uptr first = dropped.size();
  ForEachMarkedWord(slot, begin, end, [&](u64 number, u64 *word) {
    u64 value = __atomic_exchange_n(word, 0, __ATOMIC_ACQ_REL);
    return ForEachStagedWord(number, value, [&](u64 staged, u64 marks) {
      if (marks & mask)
        AddOrJoin(dropped, first, staged, marks & mask);
      return true;
    });
  });
}

} // namespace pagetide

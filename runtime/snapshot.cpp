//===- snapshot.cpp - Take and clear the marks, atomically
//------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "snapshot.h"

#include "recorder_state.h"

#include <emmintrin.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pagetide {

PAGETIDE_RECORDER_STATE static PageVec<Extent> extents;
/// st_blocks when the extents were looked up, plus one; 0: look anew.
PAGETIDE_RECORDER_STATE static u64 extents_blocks;

void ForgetExtents() { extents_blocks = 0; }

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

const PageVec<Extent> &PopulatedExtents(int fd) {
  struct stat status;
  u64 blocks = 0;
  if (!Failed(Syscall(SYS_fstat, (uptr)fd, (uptr)&status)))
    blocks = (u64)status.st_blocks + 1;
  if (blocks && blocks == extents_blocks)
    return extents;
  extents_blocks = blocks;
  extents.clear();
  const ShadowHeader &header = *shadow.header;
  u64 first = header.slots_offset;
  u64 last = first + u64{header.slot_high} * shadow.slot_bytes;
  for (u64 position = first; position < last;) {
    uptr data = Syscall(SYS_lseek, (uptr)fd, position, SEEK_DATA);
    if (Failed(data) || data >= last)
      break;
    uptr hole = Syscall(SYS_lseek, (uptr)fd, data, SEEK_HOLE);
    if (Failed(hole) || hole > last)
      hole = last;
    AddExtent(data - first, hole - first);
    position = hole;
  }
  return extents;
}

/// Calls visit(word_number, word) for each nonzero word of [begin, end), which
/// are multiples of 64, until it returns false.
template <typename Visit>
static bool ForEachMarkedWord(u32 slot, u64 begin, u64 end, Visit visit) {
  u8 *base = (u8 *)shadow.slot_base[slot];
  const __m128i zero = _mm_setzero_si128();
  for (u64 at = begin; at < end; at += 64) {
    const __m128i *line = (const __m128i *)(base + at);
    __m128i any = _mm_or_si128(_mm_or_si128(line[0], line[1]),
                               _mm_or_si128(line[2], line[3]));
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(any, zero)) == 0xffff)
      continue;
    u64 *words = (u64 *)(base + at);
    for (u64 i = 0; i < 8; ++i)
      if (__atomic_load_n(&words[i], __ATOMIC_RELAXED))
        if (!visit(at / 8 + i, &words[i]))
          return false;
  }
  return true;
}

bool TakeMarks(u32 slot, u64 begin, u64 end, StagingCursor &cursor) {
  return ForEachMarkedWord(slot, begin, end, [&](u64 number, u64 *word) {
    u64 value = __atomic_load_n(word, __ATOMIC_RELAXED);
    StagedWord *record = cursor.Add(number, value);
    if (!record)
      return false;
    while (!__atomic_compare_exchange_n(word, &value, 0, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      record->value = value;
    return true;
  });
}

void DropMarks(u32 slot, u64 begin, u64 end) {
  ForEachMarkedWord(slot, begin, end, [](u64, u64 *word) {
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    return true;
  });
}

} // namespace pagetide

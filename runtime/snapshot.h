//===- snapshot.h - Take and clear the marks, atomically ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves marks from shadow to staging so that none is lost and none counts
// twice: each nonzero word of eight cells is staged first, then exchanged for
// zero; a mark that arrives in between changes the word, and the exchange is
// tried again. Runs on the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_SNAPSHOT_H
#define PAGETIDE_RUNTIME_SNAPSHOT_H

#include "staging.h"

#include <emmintrin.h>

namespace pagetide {

/// Where the memfd holds pages: a part of one slot's shadow.
struct Extent {
  u32 slot;
  u64 begin; ///< byte offsets into the slot's shadow, multiples of the page
  u64 end;
};

/// The populated parts of all slots, by slot and offset. `fd` is the memfd in
/// the caller's table. Looks anew only when the memfd's size in blocks changed
/// (fstat takes 1 us, SEEK_DATA up to milliseconds).
const PageVec<Extent> &PopulatedExtents(int fd);

/// The extents must be looked up anew although the size may be the same.
void ForgetExtents();

/// Calls visit(word_number, word) for each nonzero word of [begin, end), which
/// are multiples of 64, until it returns false.
template <typename Visit>
bool ForEachMarkedWord(u32 slot, u64 begin, u64 end, Visit visit) {
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

/// What a word of the shadow says, in words as they are staged.
template <typename Add> bool ForEachStagedWord(u64 number, u64 value, Add add) {
  return abi::for_each_granule_word(shadow.layout, shadow.cells_shift, number,
                                    value, add);
}

/// Stages and clears the words of [begin, end) of a slot's shadow. stage(word
/// number, value) keeps a word, which it may be given several times, with more
/// marks, in any order of its neighbours; false where the ring is full: the rest
/// is then still marked, and the result false.
template <typename Stage>
bool TakeMarks(u32 slot, u64 begin, u64 end, Stage stage) {
  return ForEachMarkedWord(slot, begin, end, [&](u64 number, u64 *word) {
    u64 value = __atomic_load_n(word, __ATOMIC_RELAXED);
    do { // again where a mark came in between
      if (!ForEachStagedWord(number, value, stage))
        return false;
    } while (!__atomic_compare_exchange_n(word, &value, 0, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return true;
  });
}

/// Adds a word to a list, or its marks to the list's last word where that is the
/// same one and not before index `first`.
inline void AddOrJoin(PageVec<StagedWord> &words, uptr first, u64 word,
                      u64 value) {
  if (words.size() > first && words.back().word == word)
    words.back().value |= value;
  else
    words.push_back({word, value});
}

/// Clears without staging, where marks are of no period.
void DropMarks(u32 slot, u64 begin, u64 end);
/// The same; staged words with a bit of `mask` go to `dropped`, with these bits.
void DropMarks(u32 slot, u64 begin, u64 end, u64 mask,
               PageVec<StagedWord> &dropped);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_SNAPSHOT_H

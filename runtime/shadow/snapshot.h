//===- snapshot.h - Take and clear the marks, atomically ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves marks from shadow to staging so that none is lost and none counts
// twice. Each nonzero word of eight cells is staged first. Then those of its
// cells that had marks are cleared. Only the recorder's thread clears cells.
//
// Cells are cleared by plain stores. (A locked instruction for each word would
// cost three times as much as all the rest.) Why no mark is lost:
//
// - A cell found empty is not written to. A mark that is made later stays, and
//   belongs to the next period.
// - In a cell found marked, the store can only overwrite a mark that was made
//   after the cell was read. That mark says what is staged already. A cell's
//   boundary is the moment at which its zero becomes visible, and the mark was
//   made before it. So the period that is ending rightly has the mark. Its
//   access comes after the mark, so at worst it is a delayed one (the
//   contract, section 1).
// - A mark that overwrites another must not carry more information than the one
//   already read. Near and certain marks say the same in every cell that can
//   have both, and may marks are made in empty cells only (abi.h). But a mark
//   over a may mark says more. So a word with a may mark is exchanged for zero
//   as a whole if it has not changed, and otherwise staged again.
// - A cell that holds the id of a site may get another id after it was read.
//   That says the same of the granule, and only names another place.
// - Before TakeMarks returns, all zeros are visible. So no zero can become
//   visible later and overwrite a mark of a thread that knows that the period
//   has ended.
//
// The processor makes stores visible in program order: stores that stage before
// stores that clear, even if the process dies in between.

#pragma once

#include "arch/vectors.h"
#include "platform/page_vec.h"
#include "shadow/extents.h"
#include "shadow/shadow.h"

namespace pagetide {

/// The populated parts of all slots, by slot and offset. `fd` is the memfd in
/// the caller's table. Looks them up again only if the memfd's size in blocks
/// has changed (fstat takes 1 us): in `unprotected` (idle_shadow.h) if that is
/// not null, then in the page table. If that does not account for all of the
/// size, by SEEK_DATA (up to milliseconds).
const PageVec<ShadowExtent> &
PopulatedExtents(int fd, const PageVec<ShadowExtent> *unprotected = nullptr);

/// There may be another memfd.
void ForgetExtents();
/// Gives the memory of all slots back to the kernel, with the marks in it.
/// Nothing is idle any more (idle_shadow.h). False if there was nothing.
bool GiveBackShadow(int fd);
/// Parts of the memfd outside the slots were given back: what its size was says
/// nothing any more.
void StagingShrank();

/// A cache line, and its words.
constexpr u64 kLineBytes = 64, kLine = kLineBytes / 8;

/// Calls visit(word_number, word) for each nonzero word of [begin, end), which
/// are multiples of 64, until it returns false.
template <typename Visit>
bool ForEachMarkedWord(u32 slot, u64 begin, u64 end, Visit visit) {
  u8 *base = (u8 *)shadow.slot_base[slot];
  for (u64 at = begin; at < end; at += kLineBytes) {
    if (IsEmptyLine(base + at))
      continue;
    u64 *words = (u64 *)(base + at);
    for (u64 i = 0; i < kLine; ++i)
      if (__atomic_load_n(&words[i], __ATOMIC_RELAXED))
        if (!visit(at / 8 + i, &words[i]))
          return false;
  }
  return true;
}

/// What a word of a plain layout's shadow says, in words as they are staged.
template <typename Add> bool ForEachUnitWord(u64 number, u64 value, Add add) {
  return abi::for_each_unit_word(shadow.layout, shadow.cells_per_unit_shift,
                                 shadow.cells_per_granule_shift != 0, number,
                                 value, add);
}

/// What a word of the shadow says, in words as they are staged.
template <typename Add> bool ForEachStagedWord(u64 number, u64 value, Add add) {
  if (!shadow.with_sites)
    return ForEachUnitWord(number, value, add);
  const abi::PlainWord plain = abi::plain_word(number, value);
  return ForEachUnitWord(plain.word, plain.value, add);
}

/// Clears the cells of a word that are not empty in `value`, which has no may
/// marks.
inline void ClearCells(u64 *word, u64 value) {
  // 0x80 in every byte of `value` that is zero, and in no other.
  constexpr u64 kLow = 0x7f7f7f7f7f7f7f7f;
  const u64 empty = ~(((value & kLow) + kLow) | value | kLow);
  if (!empty) {
    StoreRelease(word, 0);
    return;
  }
  for (u64 rest = ~empty & ~kLow; rest; rest &= rest - 1)
    StoreRelease((u8 *)word + __builtin_ctzll(rest) / 8, 0);
}

/// Clears a word that held `value` when it was staged. Marks that were made in
/// between are staged first. False if the ring is full; then the word is not
/// cleared.
template <typename Stage>
bool ClearWord(u64 number, u64 *word, u64 value, Stage &stage) {
  constexpr u64 kMay = 0x0101010101010101 * abi::kCellMay;
  while (value & kMay) {
    if (__atomic_compare_exchange_n(word, &value, 0, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return true;
    if (!ForEachStagedWord(number, value, stage))
      return false;
  }
  ClearCells(word, value);
  return true;
}

/// Takes a line if units have one cell of each kind.
template <typename Stage> bool TakeLine(u64 number, u64 *words, Stage &stage) {
  for (u64 i = 0; i < kLine; ++i) {
    const u64 value = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    if (value && (!stage(number + i, value) ||
                  !ClearWord(number + i, &words[i], value, stage)))
      return false;
  }
  return true;
}

/// The same for `count` words of one unit that has several cells, or for one
/// word of several units. All cells except the unit's last say the same of it,
/// so they are staged as one. Only near marks make the last cell differ.
template <typename Stage>
bool TakeUnit(u64 number, u64 *words, u64 count, Stage &stage) {
  u64 values[kLine];
  u64 all = 0;
  for (u64 i = 0; i < count; ++i)
    all |= values[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
  if (!all)
    return true;
  const u64 end = number + count;
  u64 last = 0;
  // If the unit has only one word, that is both its first and its last.
  if (count > 1 && shadow.cells_per_granule_shift)
    last = values[count - 1] &
           abi::last_cells(shadow.layout, shadow.cells_per_unit_shift, end - 1);
  u64 rest = values[count - 1] & ~last;
  for (u64 i = 0; i + 1 < count; ++i)
    rest |= values[i];
  if ((rest && !ForEachStagedWord(number, rest, stage)) ||
      (last && !ForEachStagedWord(end - 1, last, stage)))
    return false;
  for (u64 i = 0; i < count; ++i)
    if (values[i] && !ClearWord(number + i, &words[i], values[i], stage))
      return false;
  return true;
}

/// Clears the cells of a word of sites that held `value` when it was staged. A
/// site that overwrote another in between says the same of its granule. But a
/// certain mark over a may mark says more, and is staged first.
template <typename Stage, typename StageSites>
bool ClearSiteWord(u64 number, u64 *word, u64 value, Stage &stage,
                   StageSites &stage_sites) {
  constexpr u64 kMay = u64{abi::kSiteMay} << 32 | abi::kSiteMay;
  while (value & kMay) {
    if (__atomic_compare_exchange_n(word, &value, 0, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return true;
    if (!ForEachStagedWord(number, value, stage) || !stage_sites(number, value))
      return false;
  }
  u32 *cells = (u32 *)word;
  if (value >> 32 && (u32)value)
    StoreRelease(word, 0);
  else if (value)
    StoreRelease(&cells[value >> 32 ? 1 : 0], 0);
  return true;
}

/// Takes a line of a shadow whose cells hold ids of sites. Four of its words
/// are staged as one, and each of them as a word of sites.
template <typename Stage, typename StageSites>
bool TakeSiteLine(u64 number, u64 *words, Stage &stage,
                  StageSites &stage_sites) {
  constexpr u64 kJoined = 4;
  for (u64 first = 0; first < kLine; first += kJoined) {
    u64 values[kJoined];
    u64 marks = 0;
    for (u64 i = 0; i < kJoined; ++i) {
      values[i] = __atomic_load_n(&words[first + i], __ATOMIC_RELAXED);
      marks |= abi::plain_word(number + first + i, values[i]).value;
    }
    if (!marks)
      continue;
    if (!ForEachUnitWord((number + first) / kJoined, marks, stage))
      return false;
    for (u64 i = 0; i < kJoined; ++i)
      if (values[i] && !stage_sites(number + first + i, values[i]))
        return false;
    for (u64 i = 0; i < kJoined; ++i)
      if (values[i] && !ClearSiteWord(number + first + i, &words[first + i],
                                      values[i], stage, stage_sites))
        return false;
  }
  return true;
}

/// For layouts without sites.
struct NoSites {
  bool operator()(u64, u64) const { return true; }
};

/// Stages and clears the words of [begin, end) of a slot's shadow, which are
/// multiples of 64. stage(word number, value) keeps a word. It may be given a
/// word several times, with more marks, and words in any order. It returns
/// false if the ring is full; then the rest stays marked, and TakeMarks returns
/// false. found(page) is called for each page of the shadow that had marks, by
/// offset. Under a layout with sites, stage_sites(word number, value) keeps a
/// word as it is in the shadow, and stage() its marks. Lines whose cells of
/// `mask` are empty are left as they are.
template <typename Stage, typename Found, typename StageSites = NoSites>
bool TakeMarks(u32 slot, u64 begin, u64 end, Stage stage, Found found,
               StageSites stage_sites = {}, u64 mask = ~u64{0}) {
  u8 *base = (u8 *)shadow.slot_base[slot];
  const u64 of_unit =
      u64{shadow.cells_per_index} << shadow.cells_per_unit_shift >> 3;
  const u64 group = of_unit >= kLine ? kLine : of_unit ? of_unit : 1;
  const bool one_cell = !shadow.cells_per_unit_shift;
  bool ok = true;
  u64 last_found = ~u64{0};
  for (u64 at = begin; at < end && ok; at += kLineBytes) {
    if (IsEmptyLine(base + at, mask))
      continue;
    const u64 page = at & ~(kShadowPageBytes - 1);
    if (page != last_found)
      found(page);
    last_found = page;
    u64 *words = (u64 *)(base + at);
    if (shadow.with_sites)
      ok = TakeSiteLine(at / 8, words, stage, stage_sites);
    else if (one_cell)
      ok = TakeLine(at / 8, words, stage);
    else
      for (u64 first = 0; first < kLine && ok; first += group)
        ok = TakeUnit(at / 8 + first, words + first, group, stage);
  }
  // The recorder will now look whether threads have settled and what pages
  // hold. The zeros must be visible before that.
  if (last_found != ~u64{0})
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return ok;
}

/// Adds a word to a list. If the list's last word, at index `first` or later,
/// has the same number, adds the marks to that word.
inline void AddOrJoin(PageVec<StagedWord> &words, uptr first, u64 word,
                      u64 value) {
  if (words.size() > first && words.back().word == word)
    words.back().value |= value;
  else
    words.push_back({word, value});
}

/// Clears marks that belong to no period, without staging them.
void DropMarks(u32 slot, u64 begin, u64 end);
/// The same. The bits of `mask` in the words, as they would be staged, go to
/// `dropped`.
void DropMarks(u32 slot, u64 begin, u64 end, u64 mask,
               PageVec<StagedWord> &dropped);

} // namespace pagetide

//===- snapshot.cpp - Take and clear the marks, atomically ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shadow/snapshot.h"

#include "platform/bailout.h"
#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/program_memory.h"
#include "platform/uffd_wp.h"
#include "shadow/idle_shadow.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pagetide {

PAGETIDE_RECORDER_STATE static PageVec<ShadowExtent> extents;
PAGETIDE_RECORDER_STATE static PageVec<ShadowExtent> known_extents;
/// Whether they were all that was populated when they were looked up.
PAGETIDE_RECORDER_STATE static bool all_known;
/// Bytes that the memfd held then; 0: look again.
PAGETIDE_RECORDER_STATE static u64 known_bytes;
/// The populated parts of the memfd before the slots, which are staging's.
PAGETIDE_RECORDER_STATE static PageVec<AddressRange> staging;
PAGETIDE_RECORDER_STATE static PageVec<AddressRange> known_staging;

void ForgetExtents() {
  extents.clear();
  all_known = false;
  StagingShrank();
}

void StagingShrank() {
  known_bytes = 0;
  staging.clear();
}

/// Where an extent lies in the memfd.
static AddressRange PlaceOf(const ShadowExtent &extent) {
  const u64 slot =
      shadow.header->slots_offset + extent.slot * shadow.slot_bytes;
  return {slot + extent.begin, slot + extent.end};
}

/// Adds what lies at a place in the memfd, cut at slot boundaries.
static void AddExtents(PageVec<ShadowExtent> &list, AddressRange place) {
  u64 begin = place.begin - shadow.header->slots_offset;
  const u64 end = place.end - shadow.header->slots_offset;
  while (begin < end) {
    const u64 slot = begin / shadow.slot_bytes;
    const u64 slot_begin = slot * shadow.slot_bytes;
    const u64 slot_end = slot_begin + shadow.slot_bytes;
    const u64 stop = end < slot_end ? end : slot_end;
    AppendExtent(list, {(u32)slot, begin - slot_begin, stop - slot_begin});
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

/// The first offset in [position, end) at which there is data, or none; `end`
/// if there is no such.
static u64 Seek(int fd, u64 position, u64 end, int whence) {
  const uptr at = Syscall(SYS_lseek, (uptr)fd, position, whence);
  if (ErrnoOf(at) == ENXIO)
    return end;
  if (Failed(at))
    BailOut("the parts of the shadow in use cannot be listed: lseek failed "
            "with %s (if a system call filter forbids it, allow lseek)",
            DescribeErrno(ErrnoOf(at)));
  return at < end ? at : end;
}

/// Calls found(begin, end) for the data in a part of the memfd.
template <typename Found>
static void FindData(int fd, u64 begin, u64 end, Found found) {
  while ((begin = Seek(fd, begin, end, SEEK_DATA)) < end) {
    const u64 hole = Seek(fd, begin, end, SEEK_HOLE);
    found(begin, hole);
    begin = hole;
  }
}

/// Adds a range, or joins it with the last one if it begins where that ends.
static void AppendRange(PageVec<AddressRange> &ranges, AddressRange range) {
  if (!ranges.empty() && ranges.back().end == range.begin)
    ranges.back().end = range.end;
  else
    ranges.push_back(range);
}

/// More than there can be.
constexpr u64 kAll = ~u64{0};

/// Sets `all` to the known parts of [begin, end) of the memfd, which are
/// populated for good, and to the data between them, until it has found
/// `enough` bytes of that. Returns how many it found. Known pages are not
/// sought: SEEK_HOLE would take 0.1 us for each.
static u64 ListData(int fd, u64 begin, u64 end,
                    const PageVec<AddressRange> &known, u64 enough,
                    PageVec<AddressRange> &all) {
  u64 found = 0;
  all.clear();
  const auto look_until = [&](u64 gap_end) {
    if (found == enough)
      return;
    FindData(fd, begin, gap_end, [&](u64 data, u64 hole) {
      found += hole - data;
      AppendRange(all, {data, hole});
    });
  };
  for (const AddressRange &part : known) {
    look_until(part.begin);
    AppendRange(all, part);
    begin = part.end;
  }
  look_until(end);
  return found;
}

/// Bytes that staging has in the memfd.
static u64 BytesOfStaging(int fd) {
  known_staging.swap(staging);
  ListData(fd, 0, shadow.header->slots_offset, known_staging, kAll, staging);
  return BytesOf(staging);
}

namespace {
/// What shows which pages are in the page table.
struct PageTable {
  enum class Use : u8 { kUnknown, kYes, kNo } use;
  AsyncProtection pagemap;
};
} // namespace
PAGETIDE_RECORDER_STATE static PageTable page_table;

static bool MayReadPageTable() {
  using Use = PageTable::Use;
  if (page_table.use == Use::kUnknown)
    // A filter may kill the process for a call that it does not know.
    page_table.use = UnderSystemCallFilter() || page_table.pagemap.OpenPagemap()
                         ? Use::kNo
                         : Use::kYes;
  return page_table.use == Use::kYes;
}

/// Adds what the page table has of the slots. That may be less than there is:
/// the kernel pages memory out, and other processes may have touched it. False
/// if the page table cannot be read, or if that does not pay.
static bool AddPresent() {
  // A scan of a slot takes as long as seeking in so many gaps, and one of so
  // many pages as seeking in one gap.
  constexpr uptr kGapsOfSlot = 8, kPagesOfGap = 25;
  const uptr gaps = kGapsOfSlot * shadow.header->slot_high +
                    BytesOf(known_extents) / kShadowPageBytes / kPagesOfGap;
  if (known_extents.size() < gaps || !MayReadPageTable())
    return false;
  constexpr PageQuery kPresent = {0, 0, kernel::kPagePresent, 0,
                                  kernel::kPagePresent};
  PAGETIDE_RECORDER_STATE static PageVec<ShadowExtent> present;
  present.clear();
  for (u32 slot = 0; slot < shadow.header->slot_high; ++slot) {
    const uptr base = shadow.slot_base[slot];
    if (base && page_table.pagemap.Scan(
                    base, base + shadow.slot_bytes, kPresent,
                    [&](const kernel::PageRegion &region) {
                      AppendExtent(present, {slot, region.start - base,
                                             region.end - base});
                    })) {
      page_table.use = PageTable::Use::kNo; // an older kernel
      return false;
    }
  }
  Unite(known_extents, present, extents);
  return true;
}

/// Adds what the memfd has in `unprotected`. False if that does not pay.
static bool AddUnprotected(int fd, const PageVec<ShadowExtent> &unprotected) {
  PAGETIDE_RECORDER_STATE static PageVec<ShadowExtent> parts, present;
  Subtract(unprotected, known_extents, parts);
  if (parts.size() > known_extents.size() / 2) // seek between these
    return false;
  present.clear();
  for (const ShadowExtent &part : parts) {
    const AddressRange place = PlaceOf(part);
    FindData(fd, place.begin, place.end,
             [&](u64 data, u64 hole) { AddExtents(present, {data, hole}); });
  }
  Unite(known_extents, present, extents);
  return true;
}

/// Looks for what is in the memfd between the known extents, until it has found
/// so many bytes. Returns how many it found.
static u64 AddInGaps(int fd, u64 missing) {
  PAGETIDE_RECORDER_STATE static PageVec<AddressRange> known, all;
  const ShadowHeader &header = *shadow.header;
  const u64 first = header.slots_offset;
  const u64 end = first + u64{header.slot_high} * shadow.slot_bytes;
  known.clear();
  for (const ShadowExtent &extent : known_extents)
    known.push_back(PlaceOf(extent));
  const u64 found = ListData(fd, first, end, known, missing, all);
  extents.clear();
  for (const AddressRange &place : all)
    AddExtents(extents, place);
  return found;
}

const PageVec<ShadowExtent> &
PopulatedExtents(int fd, const PageVec<ShadowExtent> *unprotected) {
  if (known_bytes && BytesInUse(fd) == known_bytes)
    return extents;
  // Staging grows often, and only the recorder changes it. It is looked at
  // first: a page of a slot that is new since counts in what follows.
  const u64 others = BytesOfStaging(fd);
  const u64 before = BytesInUse(fd);
  if (!all_known || before != others + BytesOf(extents)) {
    known_extents.swap(extents);
    // If the memfd grew meanwhile, a page that the page table lacks and a page
    // that is new make up for each other in the count.
    const auto is_all = [&] {
      return before && others + BytesOf(extents) == before &&
             BytesInUse(fd) == before;
    };
    all_known = (unprotected && AddUnprotected(fd, *unprotected) && is_all()) ||
                (AddPresent() && is_all());
    if (!all_known) {
      // If nothing came meanwhile, what was found is what had been counted, and
      // there is no more of that. Otherwise a look that ended early may lack
      // some of it.
      const u64 known = others + BytesOf(known_extents);
      const u64 missing = before > known ? before - known : kAll;
      if (AddInGaps(fd, missing) == missing && BytesInUse(fd) != before)
        AddInGaps(fd, kAll);
      // The kernel counts a page before SEEK_DATA shows it: a thread may be in
      // the middle of its first touch. The page holds no mark yet, so this
      // answer is right. But it must not be used again.
      all_known = is_all();
    }
  }
  known_bytes = all_known ? before : 0;
  return extents;
}

bool GiveBackShadow(int fd) {
  ForgetIdleShadow();
  if (UnderSystemCallFilter())
    return false;
  bool any = false;
  for (const ShadowExtent &e : PopulatedExtents(fd))
    if (const uptr base = shadow.slot_base[e.slot])
      any |= !Failed(
          Syscall(SYS_madvise, base + e.begin, e.end - e.begin, MADV_REMOVE));
  ForgetExtents();
  return any;
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

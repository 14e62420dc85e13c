//===- mapping_changes.cpp - Memory that changes without a mark -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/mapping_changes.h"

#include "platform/fork_reset.h"

#include "sanitizer_common/sanitizer_common.h"

namespace pagetide {

namespace {
/// The changes of the last time.
class ChangeLog {
public:
  void Add(const MappingChange &change) {
    const u64 number = __atomic_fetch_add(&next_number_, 1, __ATOMIC_ACQ_REL);
    Entry &entry = entries_[number % kKept];
    StoreRelease(&entry.number_plus_one, 0);
    StoreRelease(&entry.begin, change.begin);
    StoreRelease(&entry.end, change.end);
    StoreRelease(&entry.writers, (u32)change.writers);
    StoreRelease(&entry.moved_from, change.moved_from);
    StoreRelease(&entry.number_plus_one, number + 1);
  }
  u64 Count() const { return LoadAcquire(&next_number_); }
  bool List(u64 since, PageVec<MappingChange> &changes) const {
    const u64 end = Count();
    if (end - since > kKept)
      return false;
    for (u64 number = since; number < end; ++number) {
      const Entry &entry = entries_[number % kKept];
      const MappingChange change = {
          LoadAcquire(&entry.begin), LoadAcquire(&entry.end),
          (Writers)LoadAcquire(&entry.writers), LoadAcquire(&entry.moved_from)};
      if (LoadAcquire(&entry.number_plus_one) != number + 1)
        return false; // another thread writes it
      changes.push_back(change);
    }
    return true;
  }

private:
  static constexpr u64 kKept = 1024;
  struct Entry {
    uptr begin, end, moved_from;
    u64 number_plus_one; ///< of the change; 0: being written
    u32 writers;
  };
  Entry entries_[kKept];
  u64 next_number_;
};
} // namespace

static ChangeLog all_changes, shared_changes;
PAGETIDE_ZERO_IN_CHILD static u32 under_way, shared_under_way;

ChangingMappings::ChangingMappings(bool may_share) : may_share_(may_share) {
  if (may_share)
    __atomic_fetch_add(&shared_under_way, 1, __ATOMIC_ACQ_REL);
  __atomic_fetch_add(&under_way, 1, __ATOMIC_ACQ_REL);
}
ChangingMappings::~ChangingMappings() {
  __atomic_fetch_sub(&under_way, 1, __ATOMIC_ACQ_REL);
  if (may_share_)
    __atomic_fetch_sub(&shared_under_way, 1, __ATOMIC_ACQ_REL);
}

void NoteContentChange(uptr address, uptr bytes, Writers writers,
                       uptr moved_from) {
  if (!bytes)
    return;
  const MappingChange change = {PageDown(address), PageUp(address + bytes),
                                writers, moved_from};
  all_changes.Add(change);
  if (writers == Writers::kShared || writers == Writers::kFile || moved_from)
    shared_changes.Add(change);
}

void NoteForkChange(uptr address, uptr bytes, Writers writers) {
  if (bytes)
    shared_changes.Add(
        {PageDown(address), PageUp(address + bytes), writers, 0});
}

//===- The program's own mappings -----------------------------------------===//

/// Smaller mappings are not worth a place.
constexpr uptr kMinBytesOfProgram = uptr{1} << 20;
/// A mapping is one word: its first page's number above its number of pages. 0:
/// the place is free.
constexpr u32 kCountBits = 28;
static u64 of_program[64];

static AddressRange RangeOf(u64 mapping) {
  const uptr begin = (uptr)(mapping >> kCountBits) << kPageShift;
  const uptr pages = mapping & ((u64{1} << kCountBits) - 1);
  return {begin, begin + (pages << kPageShift)};
}

void MappedByProgram(uptr address, uptr bytes) {
  const u64 pages = PageUp(bytes) >> kPageShift;
  if (bytes < kMinBytesOfProgram || pages >> kCountBits)
    return;
  const u64 mapping = (u64)(address >> kPageShift) << kCountBits | pages;
  for (u64 &place : of_program) {
    u64 none = 0;
    if (__atomic_compare_exchange_n(&place, &none, mapping, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return;
  }
}

void NoteMappingChange(uptr address, uptr bytes, Writers writers,
                       uptr moved_from) {
  NoteContentChange(address, bytes, writers, moved_from);
  for (u64 &place : of_program) {
    u64 mapping = LoadAcquire(&place);
    const AddressRange range = RangeOf(mapping);
    if (mapping && range.begin < address + bytes && address < range.end)
      __atomic_compare_exchange_n(&place, &mapping, 0, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_RELAXED);
  }
}

void ListMappingsOfProgram(PageVec<AddressRange> &ranges) {
  ranges.clear();
  for (const u64 &place : of_program)
    if (const u64 mapping = LoadAcquire(&place))
      ranges.push_back(RangeOf(mapping));
  __sanitizer::Sort(ranges.data(), ranges.size(),
                    [](const AddressRange &a, const AddressRange &b) {
                      return a.begin < b.begin;
                    });
}

//===- Changes ------------------------------------------------------------===//

u64 MappingChanges() { return all_changes.Count(); }
bool AnyMappingChangeUnderWay() { return LoadAcquire(&under_way) != 0; }
bool ListMappingChanges(u64 since, PageVec<MappingChange> &changes) {
  return all_changes.List(since, changes);
}

u64 SharedChanges() { return shared_changes.Count(); }
bool AnySharedChangeUnderWay() { return LoadAcquire(&shared_under_way) != 0; }
bool ListSharedChanges(u64 since, PageVec<MappingChange> &changes) {
  return shared_changes.List(since, changes);
}

} // namespace pagetide

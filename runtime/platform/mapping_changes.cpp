//===- mapping_changes.cpp - Memory that changes without a mark -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "platform/mapping_changes.h"

#include "sanitizer_common/sanitizer_common.h"

namespace pagetide {

namespace {
struct Noted {
  MappingChange change;
  u64 number_plus_one; ///< of the change; 0: being written
};
} // namespace

constexpr u64 kKept = 1024;
static Noted noted[kKept];
static u64 next_number;
static u32 under_way;

ChangingMappings::ChangingMappings() {
  __atomic_fetch_add(&under_way, 1, __ATOMIC_ACQ_REL);
}
ChangingMappings::~ChangingMappings() {
  __atomic_fetch_sub(&under_way, 1, __ATOMIC_ACQ_REL);
}

void NoteContentChange(uptr address, uptr bytes, bool shared) {
  if (!bytes)
    return;
  const u64 number = __atomic_fetch_add(&next_number, 1, __ATOMIC_ACQ_REL);
  Noted &entry = noted[number % kKept];
  StoreRelease(&entry.number_plus_one, 0);
  StoreRelease(&entry.change.begin, PageDown(address));
  StoreRelease(&entry.change.end, PageUp(address + bytes));
  StoreRelease(&entry.change.shared, shared);
  StoreRelease(&entry.number_plus_one, number + 1);
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

void NoteMappingChange(uptr address, uptr bytes, bool shared) {
  NoteContentChange(address, bytes, shared);
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

u64 MappingChanges() { return LoadAcquire(&next_number); }

bool AnyMappingChangeUnderWay() { return LoadAcquire(&under_way) != 0; }

bool ListMappingChanges(u64 since, PageVec<MappingChange> &changes) {
  const u64 end = MappingChanges();
  if (end - since > kKept)
    return false;
  for (u64 number = since; number < end; ++number) {
    const Noted &entry = noted[number % kKept];
    const MappingChange change = {LoadAcquire(&entry.change.begin),
                                  LoadAcquire(&entry.change.end),
                                  LoadAcquire(&entry.change.shared)};
    if (LoadAcquire(&entry.number_plus_one) != number + 1)
      return false; // another thread writes it
    changes.push_back(change);
  }
  return true;
}

void RenewMappingChangesInChild() { under_way = 0; }

} // namespace pagetide

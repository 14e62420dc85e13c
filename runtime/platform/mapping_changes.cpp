//===- mapping_changes.cpp - Memory that changes without a mark -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "platform/mapping_changes.h"

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

void NoteMappingChange(uptr address, uptr bytes, bool shared) {
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

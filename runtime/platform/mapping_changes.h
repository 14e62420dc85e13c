//===- mapping_changes.h - Memory that changes without a mark -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// munmap, mmap, mremap and madvise change what addresses hold, and nobody marks
// that. A cut (recorder/cut.h) must know where it happened. A call is counted
// while it runs, and its range is noted when it has returned. So each change is
// either noted or under way.
//
// Takes no lock: a thread may be stopped anywhere in here.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_MAPPING_CHANGES_H
#define PAGETIDE_RUNTIME_PLATFORM_MAPPING_CHANGES_H

#include "platform/page_vec.h"

namespace pagetide {

struct MappingChange {
  uptr begin, end;
  bool shared; ///< other processes may write there from now on
};

/// Exists while a thread changes mappings.
class ChangingMappings {
public:
  ChangingMappings();
  ~ChangingMappings();
  ChangingMappings(const ChangingMappings &) = delete;
  ChangingMappings &operator=(const ChangingMappings &) = delete;
};

/// The range holds something else than before.
void NoteContentChange(uptr address, uptr bytes, bool shared = false);
/// The same for a range that was mapped, unmapped or replaced. If it was the
/// program's own, libc may have mapped something there.
void NoteMappingChange(uptr address, uptr bytes, bool shared = false);

/// After NoteMappingChange: the program itself has mapped this anonymous
/// memory. So libc, which unmaps only what it has mapped, will not give back
/// any of it by itself.
void MappedByProgram(uptr address, uptr bytes);
/// Sets `ranges` to the largest of the mappings that are the program's own,
/// sorted. Call it while no change is under way.
void ListMappingsOfProgram(PageVec<AddressRange> &ranges);

/// How many changes were noted.
u64 MappingChanges();
bool AnyMappingChangeUnderWay();
/// Appends the changes from number `since` on. False if they are not all kept.
bool ListMappingChanges(u64 since, PageVec<MappingChange> &changes);

/// Only the thread that forked exists in the child.
void RenewMappingChangesInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_MAPPING_CHANGES_H

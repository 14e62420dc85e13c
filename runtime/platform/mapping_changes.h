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
void NoteMappingChange(uptr address, uptr bytes, bool shared = false);

/// How many changes were noted.
u64 MappingChanges();
bool AnyMappingChangeUnderWay();
/// Appends the changes from number `since` on. False if they are not all kept.
bool ListMappingChanges(u64 since, PageVec<MappingChange> &changes);

/// Only the thread that forked exists in the child.
void RenewMappingChangesInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_MAPPING_CHANGES_H

//===- mapping_changes.h - Memory that changes without a mark -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// munmap, mmap, mremap and madvise change what addresses hold, and nobody marks
// that. A cut (cuts/cut.h) must know where it happened. A call is counted
// while it runs, and its range is noted when it has returned. So each change is
// either noted or under way. Those that make memory shared are also kept apart,
// and so for longer.
//
// Takes no lock: a thread may be stopped anywhere in here.

#pragma once

#include "platform/page_vec.h"

namespace pagetide {

/// Who changes what a range holds from now on.
enum class Writers : u32 {
  kOwn,    ///< who writes at these addresses
  kKernel, ///< it may clear the pages at any time
  kFile,   ///< who writes the file, until a page is copied: private mappings
  kShared, ///< whoever has the same memory, at any address in any process
  kUnkept, ///< who writes at these addresses, but a fork does not copy them
  kMerged  ///< the same, but the kernel may replace pages by equal ones
};

struct MappingChange {
  uptr begin, end;
  Writers writers;
  uptr moved_from; ///< the memory was there before; 0: nothing was moved
};

/// Exists while a thread changes mappings. `may_share`: ListSharedChanges
/// may have it afterwards.
class ChangingMappings {
public:
  explicit ChangingMappings(bool may_share = false);
  ~ChangingMappings();
  ChangingMappings(const ChangingMappings &) = delete;
  ChangingMappings &operator=(const ChangingMappings &) = delete;

private:
  const bool may_share_;
};

/// The range holds something else than before.
void NoteContentChange(uptr address, uptr bytes,
                       Writers writers = Writers::kOwn, uptr moved_from = 0);
/// The same for a range that was mapped, unmapped or replaced. If it was the
/// program's own, libc may have mapped something there.
void NoteMappingChange(uptr address, uptr bytes,
                       Writers writers = Writers::kOwn, uptr moved_from = 0);

/// What a fork makes of the range is another from now on: kUnkept or kMerged.
/// Only ListSharedChanges has it.
void NoteForkChange(uptr address, uptr bytes, Writers writers);

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

/// The same of those changes after which others may write, kFile and kShared,
/// of memory that was moved, and of what NoteForkChange notes.
u64 SharedChanges();
bool AnySharedChangeUnderWay();
bool ListSharedChanges(u64 since, PageVec<MappingChange> &changes);

} // namespace pagetide

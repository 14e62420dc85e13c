//===- shared_memory.h - Pages that others may write ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks are of addresses. What is written at another address of the same
// memory, by this process or another, has no mark at this one. So nobody knows
// that it was not being written while it was hashed: its content is never
// certain. Such memory is
//
// - shared mappings;
// - pages of a private mapping of a file that have not been copied, if a shared
//   mapping of this process has the same part of the file.
//
// For the recorder's thread.

#pragma once

#include "periods/page_hash.h"
#include "platform/proc_maps.h"

namespace pagetide {

/// The program's mappings at the last look, and what SharedChanges() was before
/// it. The list must stay until the next call.
void SetMappingsOfPeriod(const MappingList &list, u64 shared_changes);

/// Calls visit(page) for those of `pages` that others may have written by now.
/// Call it after they were read, and before marks are looked at again: what is
/// copied in between is marked. While threads may change mappings, it waits a
/// moment for them. If it cannot know, it visits all.
void ForPagesOfOthers(PageVec<PageHash> &pages, void (*visit)(PageHash &));

/// True if a process made by clone runs in this memory, and marks here.
bool AnotherProcessRunsHere();

} // namespace pagetide

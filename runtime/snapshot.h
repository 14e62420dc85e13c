//===- snapshot.h - Take and clear the marks, atomically
//--------------------===//
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

/// Stages and clears the words of [begin, end) of a slot's shadow. False where
/// the ring is full (see StagingCursor::Add): the rest is then still marked.
bool TakeMarks(u32 slot, u64 begin, u64 end, StagingCursor &cursor);

/// Clears without staging, where marks are of no period.
void DropMarks(u32 slot, u64 begin, u64 end);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_SNAPSHOT_H

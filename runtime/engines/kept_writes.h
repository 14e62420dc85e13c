//===- kept_writes.h - What was written between two keepers ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two keepers hold the program's private memory as it was at two boundaries.
// Both stand still, so that they can be compared while the program runs. A page
// was not written between the boundaries if both map the same frame. The kernel
// tells of a frame whether several processes map it. The earlier keeper's frame
// is that of the later keeper too, or that of nobody else. kept_writes.cpp has
// the table of all states.
//
// For the recorder's thread.

#pragma once

#include "engines/keeper.h"
#include "engines/write_tracking.h"
#include "platform/mapping_changes.h"

namespace pagetide {

struct KeptPair {
  Keeper before;               ///< that of the last call, or none
  Keeper after;                ///< a new one
  const MappingList &mappings; ///< of `after`
  /// What was moved between the two. Null: not known, all may have been.
  const PageVec<MappingChange> *moves;
  /// Other processes may map frames of both (HasRelatives). Then contents
  /// decide where frames cannot.
  bool relatives;
};

/// Appends, by ascending address, the pages that were written after `before`
/// was made and until `after` was. Appends to `untracked` the mappings that
/// nobody can tell this of. Returns null, or what failed as a static text.
const char *ListKeptWrites(const KeptPair &pair, PageVec<WrittenRun> &runs,
                           PageVec<UntrackedRange> &untracked);

} // namespace pagetide

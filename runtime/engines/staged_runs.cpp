//===- staged_runs.cpp - Pages that the kernel tells of, as marks ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/staged_runs.h"

#include "engines/engine.h"
#include "periods/staging.h"

namespace pagetide {

static_assert(abi::kDefaultGranuleShift == 12,
              "granules are the kernel's pages");

bool StagedRuns::Stage(const PageVec<WrittenRun> &runs, bool ends_period) {
  if (!ends_period)
    return ForEachWord(runs, [&](u64 word, u64 value) {
      return StageEarly(word, value, true);
    });
  StagingCursor cursor(0, shadow_file::ChunkKind::kMarks);
  const bool ok = ForEachWord(runs, [&](u64 word, u64 value) {
    return cursor.Add(word, value) != nullptr;
  });
  early_.Clear();
  return ok;
}

void StagedRuns::Peek(GranuleRange range, PageVec<StagedWord> &words) {
  for (const EarlyMarks::Entry &entry : early_.Entries())
    if (entry.record)
      if (u64 value = entry.visible & MaskInRange(entry.record->word, range))
        words.push_back({entry.record->word, value});
}

void StagedRuns::Hide(GranuleRange range) {
  for (EarlyMarks::Entry &entry : early_.Entries())
    if (entry.record)
      entry.visible &= ~MaskInRange(entry.record->word, range);
}

} // namespace pagetide

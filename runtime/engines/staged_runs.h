//===- staged_runs.h - Pages that the kernel tells of, as marks -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that the kernel reports as written are staged like marks from a shadow
// of layout `write`, so that everything behind the engine is the same.
//
// For the recorder's thread.

#pragma once

#include "engines/write_tracking.h"
#include "periods/early_marks.h"
#include "periods/page_set.h"

namespace pagetide {

constexpr u64 kPagesPerWord = 8;

/// Calls add(word, value) for the words that the runs' pages have in a shadow
/// of layout `write`. Neighbouring runs may give one word twice. Stops and
/// returns false if add returns false.
template <typename Add>
bool ForEachWord(const PageVec<WrittenRun> &runs, Add add) {
  for (const WrittenRun &run : runs) {
    const u64 cell =
        run.flags & trace::kKernelWritten ? abi::kCellMarked : abi::kCellMay;
    for (u64 page = run.first, end = run.first + run.count; page < end;) {
      const u64 word = page / kPagesPerWord;
      u64 value = 0;
      for (; page < end && page / kPagesPerWord == word; ++page)
        value |= cell << (8 * (page % kPagesPerWord));
      if (!add(word, value))
        return false;
    }
  }
  return true;
}

/// Trivial, so that it can be part of the recorder's state.
class StagedRuns {
public:
  /// A recording begins.
  void Clear() { early_.Clear(); }

  /// Moves the runs into the open period, as Engine::collect has it. False if
  /// staging is full.
  bool Stage(const PageVec<WrittenRun> &runs, bool ends_period);

  /// Moves a word into the open period before its end. `visible`: peeks see it.
  bool StageEarly(u64 word, u64 value, bool visible) {
    return early_.Add(0, word, value, visible) != nullptr;
  }

  /// Appends what was staged early and is visible.
  void Peek(GranuleRange range, PageVec<StagedWord> &words);
  /// Makes that invisible.
  void Hide(GranuleRange range);

private:
  EarlyMarks early_; ///< of the open period
};

} // namespace pagetide

//===- early_marks.h - Marks staged before their period ends --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PERIODS_EARLY_MARKS_H
#define PAGETIDE_RUNTIME_PERIODS_EARLY_MARKS_H

#include "periods/staging.h"
#include "platform/page_vec.h"

namespace pagetide {

/// Within a period marks are staged early when a thread ends, when the program
/// collects a region, and when pages are hashed again. Where the same word of
/// the same thread comes again its bits join the record there is, so that what
/// a period stages is bounded by what it touches, however often it is asked.
class EarlyMarks {
public:
  struct Entry {
    StagedWord *record; ///< null: an empty place
    u32 tid;
    u64 visible; ///< bits that a query still sees
  };

  /// Stages a word, for snapshot's TakeMarks. `visible`: a query sees it still.
  StagedWord *Add(u32 tid, u64 word, u64 value, bool visible);

  /// The records are of a period that has ended.
  void Clear();

  /// Every record, in no order. Mind the empty places.
  PageVec<Entry> &entries() { return table_; }

private:
  Entry &Find(u32 tid, u64 word);
  void Grow();
  PageVec<Entry> table_; ///< open addressing; a power of two in size
  uptr used_;
};

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PERIODS_EARLY_MARKS_H

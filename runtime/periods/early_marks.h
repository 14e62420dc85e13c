//===- early_marks.h - Marks staged before their period ends --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/staging.h"
#include "platform/page_vec.h"

namespace pagetide {

/// Within a period, marks are staged early when a thread ends, when the program
/// collects a region, and when pages are hashed again. If the same word of the
/// same thread comes again, its bits join the record that exists. So what a
/// period touches limits what it stages, however often the program asks.
class EarlyMarks {
public:
  struct Entry {
    StagedWord *record; ///< null: an empty entry
    u32 tid;
    u64 visible; ///< bits that a query still sees
  };

  /// Stages a word, for TakeMarks of snapshot.h. `visible`: queries still see
  /// it.
  StagedWord *Add(u32 tid, u64 word, u64 value, bool visible);

  /// The same for a word of sites. A table has words of one kind only.
  StagedWord *AddSites(u32 tid, u64 word, u64 value);

  /// The period has ended: forgets all records.
  void Clear();

  /// All entries, in no order. Some are empty.
  PageVec<Entry> &Entries() { return table_; }

private:
  Entry &Find(u32 tid, u64 word);
  void Grow();
  PageVec<Entry> table_; ///< open addressing; a power of two in size
  uptr used_;
};

} // namespace pagetide

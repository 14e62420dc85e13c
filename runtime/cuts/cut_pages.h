//===- cut_pages.h - The pages of a cut -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages a cut (cut.h) needs, and which of them are still to be read. They
// are read ahead, and again if they change.
//
// For the recorder's thread. One list at a time.

#pragma once

#include "cuts/cut_copies.h"

namespace pagetide {

/// A page of a cut has this state until it is read.
constexpr ChecksumState kUnread = ChecksumState::kNone;

struct CutPages {
  PageVec<PageHash> &pages;            ///< sorted
  const PageVec<GranuleRange> *wanted; ///< as BuildPageSet's `watch`
  bool hash;
  CutCopies *copies; ///< null: none are wanted
};

/// The list is a new one.
void ExpectUnread(const PageVec<PageHash> &pages);
void MakeUnread(PageVec<PageHash> &pages, u64 begin, u64 end);
/// Adds the granules of sorted runs, or makes them unread.
void AddUnread(CutPages &cut, const PageVec<GranuleRun> &added);

/// Reads the unread pages, except those of sorted runs (null: none).
/// ListGivenBack can ask for them.
void ReadUnreadAhead(CutPages &cut, const PageVec<GranuleRun> *except);

/// The threads stand: workers begin to read the unread pages, if there are
/// workers. Call one of the functions below before these threads are released.
void BeginReadUnread(CutPages &cut);
/// Reads the unread pages, of which some may be read by now. Returns how many
/// it read.
u64 ReadUnread(CutPages &cut);
/// What BeginReadUnread began is unread again.
void GiveUpReadUnread(CutPages &cut);
/// What ReadUnread has read last.
PageVec<PageHash> &JustRead();

} // namespace pagetide

//===- page_hash.h - Hash the contents of pages, safely -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the program's pages by a system call. If another thread unmaps
// a page meanwhile, this call fails; a direct load would crash. Processes that
// survive faults may help: they read the pages where they are, which takes 0.6
// of the time.

#pragma once

#include "periods/page_set.h"
#include "platform/faulting_reads.h"
#include "platform/page_vec.h"

namespace pagetide {

using trace::ChecksumState;

struct PageHash {
  u64 granule;
  u64 hash; ///< XXH3-64 of the granule's bytes; 0 unless stable
  ChecksumState state;
  u16 present = 0;  ///< pages of the granule in memory, before it was read
  u32 copy = 0;     ///< one more than its place among copies; 0: it has none
  u64 relative = 0; ///< RelativeHash() of the bytes, if that is wanted
};

/// What is made of the pages that are read.
struct PageUse {
  bool hash = true;
  u8 *copies = nullptr; ///< where PageHash::copy counts; null: none is made
  /// /proc/PID/mem of a process with a copy of the memory; 0: the memory is
  /// this process's. (process_vm_readv would have the kernel copy each page.)
  int memory = 0;
};

using PartWork = void (*)(u32 reader, u32 part);
/// Faulting readers that help with one job at a time.
struct ReadingHelp {
  /// Has them begin to call work(reader, part), once for each part in
  /// [0, parts).
  void (*begin)(u32 parts, PartWork work);
  /// Waits until they have. False if a part may be missing.
  bool (*finish)();
};

/// Reads and hashes each granule of `pages` that has state kStable. The state
/// stays kStable, or becomes kGone (a page of the granule is not mapped) or
/// kUnreadable. `tid` is a living thread of this process. It is not the process
/// id, because the first thread may have ended and then has no memory. It is
/// not always the caller, which may be a tracer.
void HashPages(u32 tid, PageVec<PageHash> &pages, const PageUse &use = {});

/// HashPages in two steps. In between, the caller does other things, but does
/// not touch `pages` nor read others. `help` does what it can; null: the caller
/// reads alone.
void BeginHashPages(u32 tid, PageVec<PageHash> &pages, const PageUse &use,
                    const ReadingHelp *help);
void FinishHashPages();

/// Index of the first page at or after a granule. `pages` is sorted.
uptr FirstPageAt(const PageVec<PageHash> &pages, u64 granule);

/// Calls visit(page) for each page of [begin, end).
template <typename Visit>
void ForPages(PageVec<PageHash> &pages, u64 begin, u64 end, Visit visit) {
  for (uptr i = FirstPageAt(pages, begin);
       i < pages.size() && pages[i].granule < end; ++i)
    visit(pages[i]);
}

/// The errno with which the system refused every way to read pages; 0 if it did
/// not, or from the second call on. Such pages are unreadable.
int TakeReadingRefused();

struct CombinedChecksum {
  u64 sum; ///< over stable granules; see trace::CombinedInput
  u64 stable;
  u64 left_out;
};
CombinedChecksum Combine(const PageVec<PageHash> &pages);

} // namespace pagetide

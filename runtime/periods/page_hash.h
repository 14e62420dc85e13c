//===- page_hash.h - Hash the contents of pages, safely -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the program's pages through process_vm_readv. A direct load would crash
// if another thread unmapped the page meanwhile; this call fails.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PERIODS_PAGE_HASH_H
#define PAGETIDE_RUNTIME_PERIODS_PAGE_HASH_H

#include "periods/page_set.h"
#include "platform/page_vec.h"

namespace pagetide {

using trace::ChecksumState;

struct PageHash {
  u64 granule;
  u64 hash; ///< XXH3-64 of the granule's bytes; 0 unless stable
  ChecksumState state;
};

/// Reads and hashes each granule of `pages` whose state is kStable (a wish, at
/// that point): leaves it stable, or makes it kGone (some page of it is not
/// mapped) or kUnreadable. `tid` is a living thread of this process: not the
/// process, whose first thread may have ended and then has no memory, and not
/// always the caller, which may be a tracer.
void HashPages(u32 tid, PageVec<PageHash> &pages);

/// Index of the first page at or after a granule. `pages` is sorted.
uptr FirstPageAt(const PageVec<PageHash> &pages, u64 granule);

/// The errno with which the system refused every way to read pages, once and
/// never again; otherwise 0. Such pages are called unreadable.
int TakeReadingRefused();

struct CombinedChecksum {
  u64 sum; ///< over stable granules; see trace::CombinedInput
  u64 stable;
  u64 left_out;
};
CombinedChecksum Combine(const PageVec<PageHash> &pages);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PERIODS_PAGE_HASH_H

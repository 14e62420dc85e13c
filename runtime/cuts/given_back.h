//===- given_back.h - Memory that vanishes without a mark -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libc unmaps memory, and gives it back to the kernel, by system calls of its
// own: in free, in realloc, and when a thread ends. No interceptor sees them. A
// page that was read before and is then mapped anew has zeros. So a cut asks
// the kernel which of the pages that it has read are still there.
//
// For the recorder's thread.

#pragma once

#include "periods/page_hash.h"

namespace pagetide {

/// Sets `present` of the stable pages. Call it before pages are read and after
/// that: parts of a granule may vanish or come meanwhile. A page whose content
/// was not zero was there, and what was zero is no other when it has vanished.
void NotePresent(PageVec<PageHash> &pages, bool was_hashed);

/// Has all pages be present, so that ListGivenBack lists those that are not.
void ExpectPresent(PageVec<PageHash> &pages);

/// Lists the stable pages of which fewer are present than when they were read.
void ListGivenBack(const PageVec<PageHash> &pages, PageVec<u64> &granules);

} // namespace pagetide

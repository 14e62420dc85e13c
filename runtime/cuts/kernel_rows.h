//===- kernel_rows.h - What the kernel saw written, as rows of a set ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the recorder's thread.

#pragma once

#include "engines/write_tracking.h"
#include "periods/page_set.h"

namespace pagetide {

/// Adds the pages of `seen`, which is sorted, to a period's set, unless a mark
/// of a write covers them. They get kRunUnmarked. The kernel does not tell
/// which thread wrote them: they are under tid 0. `watch`: as BuildPageSet.
void AddUnmarked(const PageVec<WrittenRun> &seen,
                 const PageVec<GranuleRange> *watch, PageSet &set);

/// Removes from `seen` the pages that a mark of the set covers.
void RemoveMarked(const PageSet &set, PageVec<WrittenRun> &seen);

/// The granules of sorted pages in the ranges of `watch`.
void ListGranules(const PageVec<WrittenRun> &pages,
                  const PageVec<GranuleRange> *watch,
                  PageVec<GranuleRun> &runs);

} // namespace pagetide

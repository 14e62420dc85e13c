//===- cut_copies.h - Copies of pages as they were at a cut ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread of the program has asked for (pagetide/cut_copies.h), in terms
// of the cut.
//
// For the recorder's thread.

#pragma once

#include "pagetide/cut_copies.h"
#include "periods/period_result.h"

namespace pagetide {

struct CutCopies {
  CopyRequest *request;
  const PageVec<GranuleRange> &regions; ///< sorted and disjoint
};

/// The regions of a request as granules.
void ListRegions(const CopyRequest &request, PageVec<GranuleRange> &regions);
/// The same of `more`, as runs without flags.
void ListMore(const CopyRequest &request, PageVec<GranuleRun> &runs);

/// Gives a place to each page of the runs that is in a region and has none.
void GivePlaces(const CutCopies &copies, const PageVec<GranuleRun> &runs,
                PageVec<PageHash> &pages);
/// False if there are more pages than places.
bool HavePlaces(const CutCopies &copies);

/// Of pages that were just read, but cannot be read whole, copies the parts
/// that belong to regions. A granule may be larger than a mapping.
void CopyParts(const CutCopies &copies, const PageVec<PageHash> &pages);

/// Fills in the answer.
void Answer(const CutCopies &copies, const CutResult &cut);

} // namespace pagetide

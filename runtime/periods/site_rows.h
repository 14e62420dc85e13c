//===- site_rows.h - From staged sites to runs of granules ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/page_set.h"

namespace pagetide {

/// Granules that a thread touched from the same sites.
struct SiteRun {
  u64 granule;
  u64 length;
  u32 read;  ///< ids; abi::kSiteMay: only possible. Of a plain layout with one
  u32 write; ///< cell, `read` is the site of any access
  u64 end() const { return granule + length; }
};

/// The sites of a period, by thread.
struct SiteRows {
  PageVec<SiteRun> runs;
  PageVec<Section> sections; ///< sorted by tid
  void Clear() {
    runs.clear();
    sections.clear();
  }
};

/// Builds the rows of a closed period from its chunks. If `watch` is not null
/// only granules in its ranges count. Keeps working memory between calls: for
/// one thread only.
void BuildSiteRows(const PeriodEntry &period,
                   const PageVec<GranuleRange> *watch, SiteRows &rows);

} // namespace pagetide

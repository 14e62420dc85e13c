//===- sites_encoder.h - The rows of sites as frames ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "periods/site_rows.h"
#include "trace/trace_encode.h"

namespace pagetide {

/// Splits the sites of a period into parts of about trace::kPartBytes.
class SitesEncoder {
public:
  SitesEncoder(const PeriodEntry &entry, const SiteRows &rows)
      : entry_(entry), rows_(rows) {}
  /// Puts the next part's payload in `out`. False after the last.
  bool NextPart(PageVec<u8> &out);

private:
  const PeriodEntry &entry_;
  const SiteRows &rows_;
  uptr section_ = 0; ///< of the next part's first run
  uptr run_ = 0;     ///< the same, into SiteRows::runs
  bool begun_ = false;
  bool done_ = false;
};

} // namespace pagetide

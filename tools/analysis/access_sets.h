//===- access_sets.h - Which granules were accessed, read and written -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/access_counts.h"
#include "analysis/granule_set.h"

namespace pagetide::tools {

/// Distinct granules by what was done to them.
struct AccessSets {
  explicit AccessSets(MemoryBudget &budget)
      : accessed(budget), read(budget), written(budget) {}

  void add(const GranuleRun &run) {
    const AccessKinds kinds(run.flags);
    if (kinds.accessed)
      accessed.insert(run.first, run.end());
    if (kinds.read)
      read.insert(run.first, run.end());
    if (kinds.written)
      written.insert(run.first, run.end());
  }
  bool is_lower_bound() const {
    return accessed.is_lower_bound() || read.is_lower_bound() ||
           written.is_lower_bound();
  }

  GranuleSet accessed;
  GranuleSet read;
  GranuleSet written;
};

} // namespace pagetide::tools

//===- access_sets.h - Which granules were accessed, read and written -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_ANALYSIS_ACCESS_SETS_H
#define PAGETIDE_TOOLS_ANALYSIS_ACCESS_SETS_H

#include "analysis/granule_set.h"
#include "trace/trace_records.h"

namespace pagetide::tools {

/// Distinct granules by what was done to them.
struct AccessSets {
  explicit AccessSets(MemoryBudget &budget)
      : accessed(budget), read(budget), written(budget) {}

  /// The run's flags are of accesses that are certain.
  void add(const GranuleRun &run) {
    accessed.insert(run.first, run.end());
    if (run.flags & trace::kRunRead)
      read.insert(run.first, run.end());
    if (run.flags & trace::kRunWritten)
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

#endif // PAGETIDE_TOOLS_ANALYSIS_ACCESS_SETS_H

//===- mapping_use.cpp - Which mappings the touched granules lie in -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/mapping_use.h"

#include "trace/runs.h"

#include <algorithm>
#include <tuple>

namespace pagetide::tools {

void MappingUses::count(std::size_t name, const GranuleRun &piece) {
  while (uses_.size() <= name)
    uses_.emplace_back(names_.name(uses_.size()), budget_);
  Use &target = uses_[name];
  if (piece.flags == 0) {
    target.may += piece.count;
    return;
  }
  target.accessed += piece.count;
  if (piece.flags & trace::kRunRead)
    target.read += piece.count;
  if (piece.flags & trace::kRunWritten)
    target.written += piece.count;
  target.distinct.insert(piece.first, piece.end());
}

void MappingUses::add(std::span<const GranuleRun> runs) {
  known_.clear();
  for (const GranuleRun &run : runs) {
    const unsigned certain = certain_flags(run.flags);
    // The run has no flags if nothing is certain.
    if (certain != 0 || !(run.flags & trace::kRunCarried))
      known_.push_back({run.first, run.count, certain});
  }
  names_.divide(known_, {});
}

std::vector<const MappingUses::Use *> MappingUses::busiest() const {
  std::vector<const Use *> uses;
  for (const Use &use : uses_)
    if (use.accessed != 0 || use.may != 0)
      uses.push_back(&use);
  std::sort(uses.begin(), uses.end(), [](const Use *a, const Use *b) {
    return std::tie(b->accessed, b->may, a->name) <
           std::tie(a->accessed, a->may, b->name);
  });
  return uses;
}

} // namespace pagetide::tools

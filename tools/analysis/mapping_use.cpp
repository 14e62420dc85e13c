//===- mapping_use.cpp - Which mappings the touched granules lie in -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/mapping_use.h"

#include <algorithm>
#include <tuple>

namespace pagetide::tools {

void MappingUses::count(std::size_t name, const GranuleRun &piece) {
  while (uses_.size() <= name)
    uses_.emplace_back(names_.name(uses_.size()), budget_);
  Use &target = uses_[name];
  target.counts.add(piece);
  if (AccessKinds(piece.flags).accessed)
    target.distinct.insert(piece.first, piece.end());
}

void MappingUses::add(std::span<const GranuleRun> runs) {
  known_.clear();
  for (const GranuleRun &run : runs)
    if (!AccessKinds(run.flags).carried)
      known_.push_back(run);
  names_.divide(known_, {});
}

std::vector<const MappingUses::Use *> MappingUses::busiest() const {
  std::vector<const Use *> uses;
  for (const Use &use : uses_)
    if (use.counts != AccessCounts())
      uses.push_back(&use);
  std::sort(uses.begin(), uses.end(), [](const Use *a, const Use *b) {
    return std::tie(b->counts.accessed, b->counts.may, a->name) <
           std::tie(a->counts.accessed, a->counts.may, b->name);
  });
  return uses;
}

} // namespace pagetide::tools

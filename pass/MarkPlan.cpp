//===- MarkPlan.cpp - Which marks, and where ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MarkPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace llvm;

namespace pagetide {

SmallVector<unsigned, 2> cellsOf(AccessKind Kind, abi::Layout Layout) {
  SmallVector<unsigned, 2> Cells;
  if (reads(Kind) && abi::records_reads(Layout))
    Cells.push_back(abi::read_cell(Layout));
  if (writes(Kind) && !is_contained(Cells, abi::write_cell(Layout)))
    Cells.push_back(abi::write_cell(Layout));
  return Cells;
}

void MarkPlan::makeCertain() {
  using Place = std::pair<unsigned, std::pair<Value *, int64_t>>;
  struct Offsets {
    std::optional<int64_t> Certain;
    bool Differ = false;
  };
  auto PlaceOf = [](const MarkStep &Step) {
    return Place{Step.Segment, {Step.Address, Step.Offset}};
  };
  DenseMap<Place, Offsets> AtPlace;
  for (const MarkStep &Step : Steps) {
    if (!Step.IsNear)
      continue;
    const NearMark &Mark = NearMarks[Step.NearMark];
    auto [At, IsNew] = AtPlace.try_emplace(PlaceOf(Step));
    if (IsNew)
      At->second.Certain = Mark.CertainOffset;
    At->second.Differ |= Mark.ServesOthers || !Mark.CertainOffset ||
                         At->second.Certain != Mark.CertainOffset;
  }
  for (MarkStep &Step : Steps) {
    if (!Step.IsNear)
      continue;
    const Offsets &Found = AtPlace[PlaceOf(Step)];
    if (Found.Differ)
      continue;
    Step.IsNear = false;
    Step.Offset = *Found.Certain;
  }
}

void MarkPlan::pairMarks() {
  using Place =
      std::pair<std::pair<unsigned, unsigned>, std::pair<Value *, int64_t>>;
  DenseMap<Place, size_t> FirstAt;
  std::vector<MarkStep> Kept;
  for (const MarkStep &Step : Steps) {
    if (Step.Kind == MarkStepKind::Byte && !Step.IsApart) {
      unsigned IsNear = Step.IsNear ? 1 : 0;
      auto [At, IsNew] = FirstAt.try_emplace(
          {{Step.Segment, IsNear}, {Step.Address, Step.Offset}}, Kept.size());
      if (!IsNew) {
        MarkStep &First = Kept[At->second];
        First.IsPair |= First.Cell != Step.Cell;
        continue;
      }
    }
    Kept.push_back(Step);
  }
  Steps = std::move(Kept);
}

} // namespace pagetide

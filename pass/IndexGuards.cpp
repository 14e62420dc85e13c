//===- IndexGuards.cpp - Marks shared although an index may wrap ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexGuards.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"

#include <algorithm>

using namespace llvm;

namespace pagetide {

/// With fewer accesses the check costs what it saves.
constexpr unsigned MinGuardedAccesses = 2;

IndexGuards findIndexGuards(const FunctionAccesses &Accesses,
                            const DataLayout &DL, const PassOptions &Options,
                            MarkMode Mode, AddressForms &Forms) {
  IndexGuards Guards;
  if (!Options.isNear() || !Options.IndexGuards || Mode == MarkMode::Calls)
    return Guards;
  for (const Access &A : Accesses.all()) {
    if (!isShort(A, Options))
      continue;
    auto [Base, Offset] = baseOf(A, DL);
    AddressForms::PlaceUnlessWrapped Found = Forms.findUnlessWrapped(Base);
    if (!Found.Index)
      continue;
    int64_t Low = Found.At.Offset + Offset;
    int64_t High = Low + static_cast<int64_t>(A.Bytes) - 1;
    auto [Place, IsNew] = Guards.try_emplace(Found.At.Form);
    IndexGuard &G = Place->second;
    if (IsNew) // checks know of no may
      G = {.Index = Found.Index,
           .Scale = Found.Scale,
           .Low = Low,
           .High = High,
           .IsCertain = Mode == MarkMode::Check};
    if (G.Index != Found.Index || G.Scale != Found.Scale)
      continue;
    G.MaxAddend = std::max(G.MaxAddend, Found.Addend);
    G.Low = std::min(G.Low, Low);
    G.High = std::max(G.High, High);
    ++G.Accesses;
  }
  SmallVector<unsigned, 4> TooFew;
  for (const auto &[Form, G] : Guards)
    if (G.Accesses < MinGuardedAccesses)
      TooFew.push_back(Form);
  for (unsigned Form : TooFew)
    Guards.erase(Form);
  return Guards;
}

} // namespace pagetide

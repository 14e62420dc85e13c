//===- ByteExtents.cpp - Ranges of bytes around one base ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ByteExtents.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace pagetide {

void intersect(MarkedExtents &Here, const MarkedExtents &Other) {
  SmallVector<FormAndCell, 8> Gone;
  for (auto &[Key, Mine] : Here) {
    auto Theirs = Other.find(Key);
    if (Theirs == Other.end()) {
      Gone.push_back(Key);
      continue;
    }
    Mine.Low = std::max(Mine.Low, Theirs->second.Low);
    Mine.High = std::min(Mine.High, Theirs->second.High);
    if (Mine.Low > Mine.High)
      Gone.push_back(Key);
    Mine.BaseIs.forgetUnless(Theirs->second.BaseIs);
    Mine.LastUse = std::max(Mine.LastUse, Theirs->second.LastUse);
    for (unsigned Mark : Theirs->second.NearMarks)
      if (!is_contained(Mine.NearMarks, Mark))
        Mine.NearMarks.push_back(Mark);
  }
  for (const FormAndCell &Key : Gone)
    Here.erase(Key);
}

} // namespace pagetide

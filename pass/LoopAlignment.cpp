//===- LoopAlignment.cpp - Tiny loops within a line of the cache ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopAlignment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#include <cstddef>

using namespace llvm;

namespace pagetide {
namespace {

/// Clang's attribute code_align makes this of a loop. Code generation leaves
/// out loops that are cold.
constexpr char AlignName[] = "llvm.loop.align";

/// Loops of more instructions have more bytes than half a line. To align them
/// to a line cost more instructions, which do nothing, than it was worth.
constexpr size_t MaxLoopLength = 8;
constexpr unsigned HalfLine = 32;

/// Instructions that become code, as far as can be known.
size_t lengthOf(const Loop &L) {
  size_t Length = 0;
  for (const BasicBlock *Block : L.blocks())
    Length += count_if(*Block, [](const Instruction &I) {
      return !isa<PHINode, DbgInfoIntrinsic, CastInst>(I);
    });
  return Length;
}

} // namespace

void alignTinyLoops(Function &F) {
  if (F.hasOptNone() || F.hasOptSize())
    return;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost() && L->getLoopLatch() &&
        lengthOf(*L) <= MaxLoopLength && !findOptionMDForLoop(L, AlignName))
      addStringMetadataToLoop(L, AlignName, HalfLine);
}

} // namespace pagetide

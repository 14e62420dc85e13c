//===- LongBlocks.cpp - Bounds on what code generation does ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LongBlocks.h"
#include "LlvmCompat.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include <utility>

using namespace llvm;

namespace pagetide {

/// Blocks with fewer instructions stay as they are. These are all, with few
/// exceptions.
static constexpr unsigned MaxOrdered = 2000;

/// What the scheduler orders at once in a longer block. What a label costs
/// there is lost among so many.
static constexpr unsigned PartOrdered = 500;

void divideLongBlocks(Function &F) {
  SmallVector<Instruction *> Places;
  for (BasicBlock &Block : F) {
    if (Block.size() < MaxOrdered)
      continue;
    unsigned Count = 0;
    for (Instruction &I : Block) {
      const Instruction *Before = I.getPrevNode();
      const auto *Call = dyn_cast_or_null<CallInst>(Before);
      if (++Count < PartOrdered || isa<PHINode>(I) || I.isEHPad() ||
          I.isTerminator() || (Call && Call->isMustTailCall()))
        continue;
      Places.push_back(&I);
      Count = 0;
    }
  }
  if (Places.empty())
    return;
  // The label of an annotation for debuggers of another system. Elsewhere it is
  // a label and nothing else.
  Module &M = *F.getParent();
  LLVMContext &Context = M.getContext();
  Function *Label = compat::declarationOf(M, Intrinsic::codeview_annotation);
  Value *Text = MetadataAsValue::get(
      Context, MDTuple::get(Context, {MDString::get(Context, "pagetide")}));
  for (Instruction *Place : Places)
    CallInst::Create(Label, {Text}, "", compat::placeOf(Place->getIterator()));
}

bool isLongWithoutLoops(const Function &F, size_t Marks) {
  // So many marks are longer than what a processor keeps decoded. To make each
  // of them faster would hardly show.
  constexpr size_t MaxOptimized = 1000;
  if (Marks <= MaxOptimized)
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> Back;
  FindFunctionBackedges(F, Back);
  return Back.empty();
}

} // namespace pagetide

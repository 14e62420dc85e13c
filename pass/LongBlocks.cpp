//===- LongBlocks.cpp - Bounds on what code generation orders -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongBlocks.h"
#include "LlvmCompat.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {

/// What the scheduler orders at once. Other blocks have fewer instructions,
/// with few exceptions; what a label costs there is lost among so many.
static constexpr unsigned MaxOrdered = 2000;

void divideLongBlocks(Function &F) {
  SmallVector<Instruction *> Places;
  for (BasicBlock &Block : F) {
    unsigned Count = 0;
    for (Instruction &I : Block) {
      const Instruction *Before = I.getPrevNode();
      const auto *Call = dyn_cast_or_null<CallInst>(Before);
      if (++Count < MaxOrdered || isa<PHINode>(I) || I.isEHPad() ||
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
    CallInst::Create(Label, {Text}, "", Place->getIterator());
}

} // namespace pagetide

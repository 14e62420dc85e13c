//===- VarArgs.cpp - The va_arg instruction, taken apart ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallingConvention.h"
#include "Diagnostics.h"
#include "Splitting.h"
#include "target/Target.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace pagetide::target {
namespace {

// A System V va_list:
//   i32 offset of the next general register in the save area
//   i32 offset of the next vector register in the save area
//   ptr next argument on the stack
//   ptr register save area: 6 general registers, then 8 vector registers
constexpr unsigned GeneralOffsetField = 0;
constexpr unsigned VectorOffsetField = 4;
constexpr unsigned StackField = 8;
constexpr unsigned SaveAreaField = 16;
constexpr unsigned GeneralEnd = 6 * 8;
constexpr unsigned VectorEnd = GeneralEnd + 8 * 16;

/// The next argument on the stack of \p List, which advances to the one after
/// it. An argument of one register takes eight bytes there.
Value *takeFromStack(IRBuilder<> &Builder, Value *List) {
  Value *Field = Builder.CreatePtrAdd(List, Builder.getInt64(StackField));
  Value *Place = Builder.CreateAlignedLoad(Builder.getPtrTy(), Field, Align(8));
  Builder.CreateAlignedStore(Builder.CreatePtrAdd(Place, Builder.getInt64(8)),
                             Field, Align(8));
  return Place;
}

void expandSystemV(VAArgInst &I) {
  bool IsVector = I.getType()->isFloatingPointTy();
  unsigned OffsetField = IsVector ? VectorOffsetField : GeneralOffsetField;
  unsigned RegisterBytes = IsVector ? 16 : 8;
  unsigned End = IsVector ? VectorEnd : GeneralEnd;

  IRBuilder<> Builder(&I);
  Value *List = I.getPointerOperand();
  Value *OffsetPlace =
      Builder.CreatePtrAdd(List, Builder.getInt64(OffsetField));
  Value *Offset =
      Builder.CreateAlignedLoad(Builder.getInt32Ty(), OffsetPlace, Align(4));
  Value *IsSaved =
      Builder.CreateICmpULE(Offset, Builder.getInt32(End - RegisterBytes));
  BasicBlock *Head = I.getParent();
  Instruction *Saved, *OnStack;
  SplitBlockAndInsertIfThenElse(IsSaved, I.getIterator(), &Saved, &OnStack);
  keepAllocasInEntry(*Head, *I.getParent());

  Builder.SetInsertPoint(Saved);
  Value *SaveArea = Builder.CreateAlignedLoad(
      Builder.getPtrTy(),
      Builder.CreatePtrAdd(List, Builder.getInt64(SaveAreaField)), Align(8));
  Value *SavedPlace = Builder.CreatePtrAdd(
      SaveArea, Builder.CreateZExt(Offset, Builder.getInt64Ty()));
  Builder.CreateAlignedStore(
      Builder.CreateAdd(Offset, Builder.getInt32(RegisterBytes)), OffsetPlace,
      Align(4));

  Builder.SetInsertPoint(OnStack);
  Value *StackPlace = takeFromStack(Builder, List);

  Builder.SetInsertPoint(&I);
  PHINode *Place = Builder.CreatePHI(Builder.getPtrTy(), 2);
  Place->addIncoming(SavedPlace, Saved->getParent());
  Place->addIncoming(StackPlace, OnStack->getParent());
  I.replaceAllUsesWith(Builder.CreateAlignedLoad(I.getType(), Place, Align(8)));
  I.eraseFromParent();
}

/// A Windows va_list is a pointer to the next argument.
void expandWin64(VAArgInst &I) {
  IRBuilder<> Builder(&I);
  Value *List = I.getPointerOperand();
  Value *Place = Builder.CreateAlignedLoad(Builder.getPtrTy(), List, Align(8));
  Builder.CreateAlignedStore(Builder.CreatePtrAdd(Place, Builder.getInt64(8)),
                             List, Align(8));
  I.replaceAllUsesWith(Builder.CreateAlignedLoad(I.getType(), Place, Align(8)));
  I.eraseFromParent();
}

} // namespace

void expandVarArgs(Function &F) {
  SmallVector<VAArgInst *> Worklist;
  for (Instruction &I : instructions(F))
    if (auto *VarArg = dyn_cast<VAArgInst>(&I))
      Worklist.push_back(VarArg);
  for (VAArgInst *I : Worklist) {
    // Code generation has no rule for most other types.
    if (!takesOneRegister(I->getType())) {
      reportWarning(*F.getParent(), I->getDebugLoc(),
                    "what a va_arg instruction of this type touches in "
                    "function '" +
                        nameInSource(F) +
                        "' is not marked; mark the va_list and the argument by "
                        "hand with pagetide_mark_read()");
      continue;
    }
    if (F.getCallingConv() == CallingConv::Win64)
      expandWin64(*I);
    else
      expandSystemV(*I);
  }
}

} // namespace pagetide::target

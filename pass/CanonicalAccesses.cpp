//===- CanonicalAccesses.cpp - Before there are marks ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CanonicalAccesses.h"
#include "LlvmCompat.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/Sink.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SimplifyLibCalls.h"

using namespace llvm;

namespace pagetide {
namespace {

/// Makes each load from a table of relative addresses one of 32 bits and an
/// addition, so that it is a load as any other.
void expandRelativeLoads(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call || Call->getIntrinsicID() != Intrinsic::load_relative)
      continue;
    if (!Call->getArgOperand(1)->getType()->isIntegerTy())
      continue; // a vector has no code
    IRBuilder<> Builder(Call);
    Value *Base = Call->getArgOperand(0);
    Value *Distance = Builder.CreateAlignedLoad(
        Builder.getInt32Ty(),
        Builder.CreatePtrAdd(Base, Call->getArgOperand(1)), Align(4));
    Call->replaceAllUsesWith(Builder.CreatePtrAdd(Base, Distance));
    Call->eraseFromParent();
  }
}

void dropDeadLoads(Function &F) {
  // Users follow what they use. Phi nodes of loops are the exception: what
  // these use stays alive in any case.
  for (BasicBlock *Block : post_order(&F))
    for (Instruction &I : make_early_inc_range(reverse(*Block)))
      if (!isa<CallBase, AllocaInst>(I) && isInstructionTriviallyDead(&I)) {
        salvageDebugInfo(I);
        I.eraseFromParent();
      }
}

/// Whether \p Store writes only to \p Local, which has \p Bytes bytes.
bool storesInto(const StoreInst &Store, const Value *Local, uint64_t Bytes,
                const DataLayout &DL) {
  APInt Offset(64, 0);
  return Store.isSimple() &&
         Store.getPointerOperand()->stripAndAccumulateConstantOffsets(
             DL, Offset, /*AllowNonInbounds=*/true) == Local &&
         (Offset + DL.getTypeStoreSize(Store.getValueOperand()->getType()))
             .ule(Bytes);
}

/// Appends to \p Dead the stores to a local that are followed only by dead
/// stores up to \p End, the end of its lifetime.
void findDeadStores(LifetimeIntrinsic &End,
                    SmallSetVector<StoreInst *, 8> &Dead) {
  const auto *Local = dyn_cast<AllocaInst>(compat::lifetimePointer(End));
  std::optional<uint64_t> Bytes = compat::lifetimeBytes(End);
  if (!Local || !Bytes)
    return;
  const DataLayout &DL = End.getModule()->getDataLayout();
  for (Instruction *I = End.getPrevNode(); I; I = I->getPrevNode()) {
    auto *Store = dyn_cast<StoreInst>(I);
    if (Store && storesInto(*Store, Local, *Bytes, DL))
      Dead.insert(Store);
    else if (I->mayReadOrWriteMemory() && !I->isLifetimeStartOrEnd() &&
             !Dead.contains(Store))
      return;
  }
}

void dropDeadStores(Function &F) {
  SmallVector<LifetimeIntrinsic *, 8> Ends;
  for (Instruction &I : instructions(F))
    if (auto *End = dyn_cast<LifetimeIntrinsic>(&I))
      if (End->getIntrinsicID() == Intrinsic::lifetime_end)
        Ends.push_back(End);

  // Dead stores of one local can make stores of another dead.
  SmallSetVector<StoreInst *, 8> Dead;
  size_t Before;
  do {
    Before = Dead.size();
    for (LifetimeIntrinsic *End : Ends)
      findDeadStores(*End, Dead);
  } while (Dead.size() != Before);
  for (StoreInst *Store : Dead)
    Store->eraseFromParent();
}

/// Simplifies __memcpy_chk and the like if the size of the buffer is unknown.
void simplifyFortifiedCalls(Function &F, const TargetLibraryInfo &TLI) {
  FortifiedLibCallSimplifier Simplifier(&TLI, /*OnlyLowerUnknownSize=*/true);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !Call->getCalledFunction() || Call->isMustTailCall() ||
        isa<IntrinsicInst>(Call))
      continue;
    IRBuilder<> Builder(Call);
    if (Value *Simpler = Simplifier.optimizeCall(Call, Builder)) {
      Call->replaceAllUsesWith(Simpler);
      Call->eraseFromParent();
    }
  }
}

/// True if no block is so long that sinking takes time. It asks of each load
/// whether it may move past each store behind it in the block.
bool isQuickToSink(const Function &F) {
  constexpr size_t MaxInstructions = 1000;
  return none_of(F, [](const BasicBlock &Block) {
    return Block.size() > MaxInstructions;
  });
}

} // namespace

void canonicalizeAccesses(Function &F, FunctionAnalysisManager &FAM,
                          bool MaySink) {
  expandRelativeLoads(F);
  dropDeadLoads(F);
  if (F.hasOptNone())
    return; // code generation keeps these accesses then
  dropDeadStores(F);
  simplifyFortifiedCalls(F, FAM.getResult<TargetLibraryAnalysis>(F));
  FAM.invalidate(F, PreservedAnalyses::none());
  // Loads that code generation could sink have barriers (preventSinking). So
  // marks are right without this too.
  if (MaySink && isQuickToSink(F))
    SinkingPass().run(F, FAM);
}

} // namespace pagetide

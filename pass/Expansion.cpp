//===- Expansion.cpp - What code generation expands in place --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Expansion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {

Expansion::Expansion(const Function &F, bool IsUnoptimized, bool HasEmulatedTls)
    : Processor(F, IsUnoptimized), HasEmulatedTls(HasEmulatedTls) {
  const Module &M = *F.getParent();
  IsShared = M.getPICLevel() != PICLevel::NotPIC &&
             M.getPIELevel() == PIELevel::Default;
}

bool Expansion::callsForAddress(const Instruction &I) const {
  if (!IsShared && !HasEmulatedTls)
    return false;
  auto IsFarLocal = [this](const Value *V) {
    auto *C = dyn_cast<Constant>(V);
    if (!C || !C->getType()->isPtrOrPtrVectorTy())
      return false;
    auto *Variable =
        dyn_cast<GlobalVariable>(C->stripInBoundsConstantOffsets());
    return Variable && Variable->isThreadLocal() &&
           (HasEmulatedTls ||
            Variable->getThreadLocalMode() ==
                GlobalVariable::GeneralDynamicTLSModel ||
            Variable->getThreadLocalMode() ==
                GlobalVariable::LocalDynamicTLSModel);
  };
  if (any_of(I.operands(), IsFarLocal))
    return true;
  // What phi nodes take is computed at the end of the block before.
  if (I.isTerminator())
    for (const BasicBlock *Next : successors(&I))
      for (const PHINode &Phi : Next->phis())
        if (IsFarLocal(Phi.getIncomingValueForBlock(I.getParent())))
          return true;
  return false;
}

bool Expansion::isInPlace(const Instruction &I) const {
  if (callsForAddress(I))
    return false;
  if (auto *Alloca = dyn_cast<AllocaInst>(&I)) // others may be probed
    return Alloca->isStaticAlloca();
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
    return Intrinsic &&
           (Intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address ||
            Processor.isIntrinsicInPlace(*Intrinsic));
  }
  return Processor.isOperationInPlace(I);
}

bool Expansion::endsSegment(const Instruction &I) const {
  return I.isAtomic() || I.isVolatile() ||
         !isGuaranteedToTransferExecutionToSuccessor(&I) || !isInPlace(I);
}

} // namespace pagetide

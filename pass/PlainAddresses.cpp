//===- PlainAddresses.cpp - Pointers of other address spaces --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlainAddresses.h"

#include "LlvmCompat.h"
#include "target/Target.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {

bool isPlain(const Value &Pointer) {
  return target::pointerKind(Pointer) == target::PointerKind::Plain;
}

Value *PlainAddresses::threadPointerBits() {
  if (!ThreadPointerBits) {
    IRBuilder<> Builder(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    ThreadPointerBits = Builder.CreatePtrToInt(
        compat::createThreadPointer(Builder), Builder.getInt64Ty());
  }
  return ThreadPointerBits;
}

Value *PlainAddresses::of(Value &Pointer, Instruction &User) {
  if (isPlain(Pointer))
    return &Pointer;
  if (Value *Found = Known.lookup(&Pointer))
    return Found;
  target::PointerKind Kind = target::pointerKind(Pointer);
  Value *ThreadPointer = Kind == target::PointerKind::FromThreadPointer
                             ? threadPointerBits()
                             : nullptr;

  // Compute it right after the pointer, because the mark of an access may be
  // earlier than the access. The result of a terminator has no such place that
  // dominates all its uses. Then compute it in the block of the access, for
  // this access only.
  IRBuilder<> Builder(F.getContext());
  bool IsOfTerminator = false;
  if (auto *I = dyn_cast<Instruction>(&Pointer)) {
    IsOfTerminator = I->isTerminator();
    BasicBlock::iterator Place = IsOfTerminator
                                     ? User.getParent()->getFirstInsertionPt()
                                     : *I->getInsertionPointAfterDef();
    Builder.SetInsertPoint(Place->getParent(), Place);
  } else if (auto *After = dyn_cast_or_null<Instruction>(ThreadPointer)) {
    Builder.SetInsertPoint(After->getNextNode());
  } else {
    Builder.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  }

  Type *PointerTy = Pointer.getType();
  Type *BitsTy = F.getParent()->getDataLayout().getIntPtrType(PointerTy);
  Type *WideTy = BitsTy->getWithNewBitWidth(64);
  Value *Bits = Builder.CreatePtrToInt(&Pointer, BitsTy);
  Bits = Kind == target::PointerKind::SignExtended
             ? Builder.CreateSExt(Bits, WideTy)
             : Builder.CreateZExt(Bits, WideTy);
  if (ThreadPointer) {
    if (auto *Vector = dyn_cast<VectorType>(WideTy))
      ThreadPointer =
          Builder.CreateVectorSplat(Vector->getElementCount(), ThreadPointer);
    Bits = Builder.CreateAdd(Bits, ThreadPointer);
  }
  Type *PlainTy = Builder.getPtrTy();
  if (auto *Vector = dyn_cast<VectorType>(PointerTy))
    PlainTy = VectorType::get(PlainTy, Vector->getElementCount());
  // Through an integer, so that no analysis sees the pointer behind it: sums of
  // 32 bits wrap when those of 64 bits do not.
  Value *Plain = Builder.CreateIntToPtr(Bits, PlainTy);
  if (!IsOfTerminator)
    Known[&Pointer] = Plain;
  return Plain;
}

} // namespace pagetide

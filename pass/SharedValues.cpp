//===- SharedValues.cpp - Values of two copies of a body ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedValues.h"

#include "LlvmCompat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace pagetide {
namespace {

/// Where \p U needs its value: for a phi node, at the end of a block.
BasicBlock *blockOf(const Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  auto *Phi = dyn_cast<PHINode>(User);
  return Phi ? Phi->getIncomingBlock(U) : User->getParent();
}

SmallVector<Use *, 8> usesElsewhere(Instruction &I) {
  SmallVector<Use *, 8> Result;
  for (Use &U : I.uses())
    if (blockOf(U) != I.getParent())
      Result.push_back(&U);
  return Result;
}

/// Whether \p I can be computed again, anywhere that its operands are known.
bool isPure(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I)) // passes a value on (CodegenGuards)
    return Call->isInlineAsm() && Call->doesNotAccessMemory();
  return !isa<PHINode, AllocaInst>(I) && !I.isTerminator() && !I.isEHPad() &&
         !I.mayReadOrWriteMemory() && !I.mayHaveSideEffects();
}

/// What only marked code computes, such as the index of a mark, is computed
/// again in each block that needs it. Plain code has no such value, so none can
/// come from there.
void repeatOwnValues(ArrayRef<BasicBlock *> Marked,
                     const SmallPtrSetImpl<const Value *> &Shared) {
  for (BasicBlock *Block : reverse(Marked))
    for (Instruction &I : make_early_inc_range(reverse(*Block))) {
      if (Shared.contains(&I) || !isPure(I))
        continue;
      DenseMap<BasicBlock *, Instruction *> Copies;
      for (Use *U : usesElsewhere(I)) {
        BasicBlock *User = blockOf(*U);
        Instruction *&Copy = Copies[User];
        if (!Copy) {
          Copy = I.clone();
          // So that it serves all uses in the block. Its operands are from
          // earlier ones, as the value is.
          Copy->insertBefore(User->getFirstInsertionPt());
        }
        U->set(Copy);
      }
    }
}

/// The uses of \p Plain and of \p Marked, which stand for each other.
/// \p Marked may have become a constant or an argument.
void shareValue(Instruction &Plain, Value *Marked,
                ArrayRef<Crossing> Crossings) {
  SmallVector<Use *, 8> Uses = usesElsewhere(Plain);
  auto *InMarked = dyn_cast_or_null<Instruction>(Marked);
  if (InMarked && InMarked->getFunction() != Plain.getFunction())
    InMarked = nullptr;
  if (InMarked)
    Uses.append(usesElsewhere(*InMarked));
  if (Uses.empty())
    return;
  SSAUpdater Updater;
  Updater.Initialize(Plain.getType(), Plain.getName());
  Updater.AddAvailableValue(Plain.getParent(), &Plain);
  if (InMarked)
    Updater.AddAvailableValue(InMarked->getParent(), InMarked);
  else
    for (const Crossing &C : Crossings)
      if (!C.ToMarked)
        Updater.AddAvailableValue(
            C.Leave, Marked ? Marked : PoisonValue::get(Plain.getType()));
  for (Use *U : Uses)
    Updater.RewriteUse(*U);
}

/// Where values are while control changes. All crossings have the same place.
class Passage {
public:
  explicit Passage(Function &F) : F(F), DL(F.getParent()->getDataLayout()) {}

  void pass(const Crossing &C) {
    IRBuilder<> Leave(C.Leave->getTerminator());
    IRBuilder<> Enter(C.Enter->getTerminator());
    uint64_t Offset = 0;
    DenseMap<Value *, Value *> Passed;
    for (PHINode &Phi : C.Enter->getSingleSuccessor()->phis()) {
      Value *V = Phi.getIncomingValueForBlock(C.Enter);
      if (!isa<Instruction>(V))
        continue;
      Value *&There = Passed[V];
      if (!There) {
        Offset = alignTo(Offset, Place.value());
        Value *At = placeAt(Offset, Leave);
        Leave.CreateAlignedStore(V, At, Place);
        There = Enter.CreateAlignedLoad(V->getType(), placeAt(Offset, Enter),
                                        Place, V->getName());
        Offset += DL.getTypeStoreSize(V->getType()).getFixedValue();
      }
      Phi.setIncomingValueForBlock(C.Enter, There);
    }
    Bytes = std::max(Bytes, Offset);
  }

  void end() {
    if (Memory)
      Memory->setAllocatedType // its size is known only now
          (ArrayType::get(Type::getInt8Ty(F.getContext()), Bytes));
  }

private:
  Value *placeAt(uint64_t Offset, IRBuilder<> &Builder) {
    if (!Memory)
      Memory = new AllocaInst(Builder.getInt8Ty(), DL.getAllocaAddrSpace(),
                              Builder.getInt32(1), Place, "passage",
                              compat::placeOf(F.getEntryBlock().begin()));
    return Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Memory,
                                              Offset);
  }

  /// More would make code generation align the whole frame.
  static constexpr Align Place = Align::Constant<8>();

  Function &F;
  const DataLayout &DL;
  AllocaInst *Memory = nullptr;
  uint64_t Bytes = 0;
};

} // namespace

void shareValues(const TwoCopies &Copies) {
  if (Copies.Crossings.empty())
    return;
  SmallPtrSet<const Value *, 32> Shared;
  for (Instruction *I : Copies.Plain)
    if (Value *Marked = Copies.Values.lookup(I))
      Shared.insert(Marked);
  repeatOwnValues(Copies.Marked, Shared);
  for (Instruction *I : Copies.Plain)
    if (!I->getType()->isVoidTy() && Copies.Values.lookup(I) != I)
      shareValue(*I, Copies.Values.lookup(I), Copies.Crossings);
  Passage Values(*Copies.Crossings.front().Leave->getParent());
  for (const Crossing &C : Copies.Crossings)
    Values.pass(C);
  Values.end();
}

} // namespace pagetide

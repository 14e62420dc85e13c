//===- AddressForms.cpp - What addresses have in common -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddressForms.h"
#include "LlvmCompat.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace pagetide {
namespace {

/// Enough for the sums in programs. Limits the compile time of deep ones.
constexpr unsigned MaxDepth = 6;
constexpr unsigned MaxTerms = 4;
constexpr unsigned AddressBits = 64;

} // namespace

/// Adds \p Scale times \p V, made 64 bits wide by \p Extended.
void AddressForms::addTerms(Value *V, Extension Extended, uint64_t Scale,
                            unsigned Depth, std::vector<Term> &Terms,
                            uint64_t &Offset) {
  auto AddWhole = [&] {
    auto Same = find_if(Terms, [&](const Term &T) {
      return std::get<0>(T) == V && std::get<1>(T) == Extended;
    });
    if (Same == Terms.end())
      Terms.emplace_back(V, Extended, Scale);
    else
      std::get<2>(*Same) += Scale;
  };
  auto Widened = [&](const APInt &Constant) {
    return Extended == Extension::Zero
               ? Constant.getZExtValue()
               : static_cast<uint64_t>(Constant.getSExtValue());
  };
  if (auto *Constant = dyn_cast<ConstantInt>(V)) {
    Offset += Scale * Widened(Constant->getValue());
    return;
  }
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth == MaxDepth)
    return AddWhole();
  if (Extended == Extension::None && isa<SExtInst, ZExtInst>(I)) {
    // Both extensions of a value that is not negative are equal.
    bool IsSigned =
        isa<SExtInst>(I) || cast<PossiblyNonNegInst>(I)->hasNonNeg();
    return addTerms(I->getOperand(0),
                    IsSigned ? Extension::Sign : Extension::Zero, Scale,
                    Depth + 1, Terms, Offset);
  }
  auto *Sum = dyn_cast<BinaryOperator>(I);
  if (!Sum)
    return AddWhole();
  bool IsDisjointOr = Sum->getOpcode() == Instruction::Or &&
                      cast<PossiblyDisjointInst>(Sum)->isDisjoint();
  auto *Wraps = dyn_cast<OverflowingBinaryOperator>(Sum);
  bool IsSum = IsDisjointOr;
  if (Wraps)
    IsSum = Extended == Extension::None ||
            (Extended == Extension::Sign ? Wraps->hasNoSignedWrap()
                                         : Wraps->hasNoUnsignedWrap());
  if (!IsSum)
    return AddWhole();
  Value *Left = Sum->getOperand(0), *Right = Sum->getOperand(1);
  auto *Constant = dyn_cast<ConstantInt>(Right);
  switch (Sum->getOpcode()) {
  case Instruction::Add:
  case Instruction::Or:
  case Instruction::Sub:
    addTerms(Left, Extended, Scale, Depth + 1, Terms, Offset);
    addTerms(Right, Extended,
             Sum->getOpcode() == Instruction::Sub ? -Scale : Scale, Depth + 1,
             Terms, Offset);
    return;
  case Instruction::Mul:
    if (!Constant)
      break;
    return addTerms(Left, Extended, Scale * Widened(Constant->getValue()),
                    Depth + 1, Terms, Offset);
  case Instruction::Shl:
    // A shift by the sign's position or more changes the sign.
    if (!Constant || Constant->getValue().uge(Constant->getBitWidth() - 1))
      break;
    return addTerms(Left, Extended, Scale << Constant->getZExtValue(),
                    Depth + 1, Terms, Offset);
  default:
    break;
  }
  AddWhole();
}

AddressForms::Place AddressForms::decompose(Value *Address) {
  std::vector<Term> Terms;
  uint64_t Offset = 0;
  Value *Root = Address;
  while (true) {
    APInt Constant(AddressBits, 0);
    Root = Root->stripAndAccumulateConstantOffsets(DL, Constant,
                                                   /*AllowNonInbounds=*/true);
    Offset += Constant.getZExtValue();
    auto *Steps = dyn_cast<GEPOperator>(Root);
    if (!Steps || !SeesIndices)
      break;
    compat::VariableOffsets Variable;
    APInt Fixed(AddressBits, 0);
    if (DL.getIndexTypeSizeInBits(Steps->getType()) != AddressBits ||
        !Steps->collectOffset(DL, AddressBits, Variable, Fixed))
      break;
    auto BitsOf = [](const auto &IndexAndScale) {
      return IndexAndScale.first->getType()->getIntegerBitWidth();
    };
    if (any_of(Variable,
               [&](const auto &I) { return BitsOf(I) > AddressBits; }))
      break;
    std::vector<Term> Longer = Terms;
    uint64_t LongerOffset = Offset + Fixed.getZExtValue();
    for (const auto &Index : Variable)
      addTerms(Index.first,
               BitsOf(Index) == AddressBits ? Extension::None : Extension::Sign,
               Index.second.getZExtValue(), 0, Longer, LongerOffset);
    if (Longer.size() > MaxTerms)
      break;
    Terms = std::move(Longer);
    Offset = LongerOffset;
    Root = Steps->getPointerOperand();
  }
  erase_if(Terms, [](const Term &T) { return std::get<2>(T) == 0; });
  llvm::sort(Terms);
  return {
      Forms.try_emplace({Root, std::move(Terms)}, Forms.size()).first->second,
      static_cast<int64_t>(Offset)};
}

AddressForms::Place AddressForms::find(Value *Address) {
  auto [Known, IsNew] = Places.try_emplace(Address);
  if (IsNew)
    Known->second = decompose(Address);
  return Known->second;
}

} // namespace pagetide

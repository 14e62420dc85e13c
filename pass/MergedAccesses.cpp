//===- MergedAccesses.cpp - What code generation makes one of -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MergedAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace pagetide {

/// True if a constant says which bits \p Update sets or clears.
static bool setsOrClearsBits(const Instruction &Update) {
  return (Update.getOpcode() == Instruction::And ||
          Update.getOpcode() == Instruction::Or) &&
         isa<Constant>(Update.getOperand(1));
}

bool isAlternative(const Instruction &I) {
  auto IsLoad = [](const Value *V) { return isa<LoadInst>(V); };
  return isa<LoadInst>(I) && any_of(I.users(), [&](const User *U) {
           auto *Choice = dyn_cast<SelectInst>(U);
           return Choice && IsLoad(Choice->getTrueValue()) &&
                  IsLoad(Choice->getFalseValue());
         });
}

bool isPartialUpdate(const Instruction &I) {
  auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->getValueOperand()->getType()->isIntegerTy() &&
         match(Store->getValueOperand(),
               m_c_Or(m_And(m_Load(m_Specific(Store->getPointerOperand())),
                            m_Value()),
                      m_Value()));
}

Instruction *updatedLoad(Instruction &I, bool AndReads) {
  using namespace PatternMatch;
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return nullptr;
  auto *Update = dyn_cast<BinaryOperator>(Store->getValueOperand());
  if (!Update || !Update->hasOneUse())
    return nullptr;
  if (AndReads && setsOrClearsBits(*Update))
    return nullptr;
  for (Value *Operand : Update->operands())
    if (match(Operand,
              m_OneUse(m_Load(m_Specific(Store->getPointerOperand())))))
      return cast<Instruction>(Operand);
  return nullptr;
}

bool needsMarkBehindLoad(const Instruction &I, bool MayStraddle) {
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return false;
  auto IsLoaded = [&](const Value *V) {
    return match(V, m_Load(m_Specific(Store->getPointerOperand())));
  };
  const Value *Stored = Store->getValueOperand();
  if (IsLoaded(Stored) || isPartialUpdate(*Store))
    return true;
  auto *Made = dyn_cast<Instruction>(Stored);
  if (!Made || none_of(Made->operands(), IsLoaded))
    return false;
  // Arithmetic needs all of what it updates. Constants that set or clear bits
  // do not.
  return !isa<BinaryOperator>(Made) || setsOrClearsBits(*Made) || MayStraddle;
}

} // namespace pagetide

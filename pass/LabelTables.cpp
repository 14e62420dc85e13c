//===- LabelTables.cpp - Tables of label addresses ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LabelTables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {
namespace {

/// Finds the tables that \p C, which depends on a label of \p F, is in. False
/// if something else uses it.
bool findTables(const Function &F, Constant &C,
                SetVector<GlobalVariable *> &Tables) {
  for (User *U : C.users()) {
    if (auto *I = dyn_cast<Instruction>(U)) {
      if (I->getFunction() != &F)
        return false;
    } else if (auto *Table = dyn_cast<GlobalVariable>(U)) {
      if (!Table->hasLocalLinkage())
        return false;
      Tables.insert(Table);
    } else if (auto *Outer = dyn_cast<Constant>(U);
               !Outer || isa<GlobalValue>(Outer) ||
               !findTables(F, *Outer, Tables)) {
      return false;
    }
  }
  return true;
}

/// True if \p F alone uses \p V, the address of a table or of a part of it, and
/// only reads there.
bool isOnlyReadIn(const Function &F, const Value &V,
                  SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(&V).second)
    return true;
  return all_of(V.uses(), [&](const Use &U) {
    const User *By = U.getUser();
    if (const auto *I = dyn_cast<Instruction>(By)) {
      if (I->getFunction() != &F)
        return false;
      if (isa<LoadInst>(I))
        return true;
      if (const auto *Copy = dyn_cast<MemTransferInst>(I))
        return U.getOperandNo() == 1 && !Copy->isVolatile();
      return isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I) &&
             isOnlyReadIn(F, *I, Seen);
    }
    return isa<ConstantExpr>(By) && isOnlyReadIn(F, *By, Seen);
  });
}

} // namespace

LabelTables::LabelTables(Function &F) {
  for (BasicBlock &Block : F)
    if (BlockAddress *Address = BlockAddress::lookup(&Block))
      CanBeCopied &= findTables(F, *Address, Tables);
  SmallPtrSet<const Value *, 16> Seen;
  for (GlobalVariable *Table : Tables)
    CanBeCopied &= isOnlyReadIn(F, *Table, Seen);
}

void LabelTables::beginCopy(ValueToValueMapTy &Mapping) {
  for (GlobalVariable *Table : Tables) {
    auto *Copy = new GlobalVariable(*Table->getParent(), Table->getValueType(),
                                    Table->isConstant(), Table->getLinkage(),
                                    nullptr, Table->getName() + ".pagetide",
                                    Table, Table->getThreadLocalMode());
    Copy->copyAttributesFrom(Table);
    Copy->setComdat(Table->getComdat());
    Mapping[Table] = Copy;
  }
}

void LabelTables::endCopy(ValueToValueMapTy &Mapping) {
  for (GlobalVariable *Table : Tables)
    cast<GlobalVariable>(Mapping[Table])
        ->setInitializer(MapValue(Table->getInitializer(), Mapping));
}

} // namespace pagetide

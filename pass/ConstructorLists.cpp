//===- ConstructorLists.cpp - Functions before and after main -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstructorLists.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace pagetide {

void appendTo(StringRef List, Module &M, Function *F, int Priority) {
  Module::global_iterator Next = M.global_end();
  if (GlobalVariable *Old = M.getGlobalVariable(List))
    Next = std::next(Old->getIterator());
  // LLVM makes a new list at the end.
  if (List == ConstructorList)
    appendToGlobalCtors(M, F, Priority);
  else
    appendToGlobalDtors(M, F, Priority);
  GlobalVariable *New = M.getGlobalVariable(List);
  M.removeGlobalVariable(New);
  M.insertGlobalVariable(Next, New);
}

void removeFrom(StringRef List, Module &M, ArrayRef<Function *> Removed) {
  if (Removed.empty())
    return;
  GlobalVariable *Old = M.getGlobalVariable(List);
  SmallVector<Constant *> Kept;
  for (Use &Entry : cast<ConstantArray>(Old->getInitializer())->operands())
    if (!is_contained(Removed, cast<ConstantStruct>(Entry)->getOperand(1)))
      Kept.push_back(cast<Constant>(Entry.get()));
  auto *EntryTy = cast<ArrayType>(Old->getValueType())->getElementType();
  auto *NewTy = ArrayType::get(EntryTy, Kept.size());
  auto *New = new GlobalVariable(M, NewTy, false, Old->getLinkage(),
                                 ConstantArray::get(NewTy, Kept), "", Old);
  New->takeName(Old);
  Old->eraseFromParent();
  for (Function *F : Removed) {
    F->removeDeadConstantUsers();
    F->eraseFromParent();
  }
}

} // namespace pagetide

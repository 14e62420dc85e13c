//===- Resolvers.cpp - Code that runs before the runtime ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Resolvers.h"

#include "Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace pagetide {
namespace {

void warn(const Function &F, const Twine &Problem) {
  reportWarning(*F.getParent(), DebugLoc(),
                "an ifunc resolver runs '" + F.getName() +
                    "' before there is a shadow to mark, and " + Problem);
}

/// The resolvers and the functions that they run by direct calls.
SetVector<Function *> reachableFromResolvers(Module &M) {
  SetVector<Function *> Reached;
  for (GlobalIFunc &IFunc : M.ifuncs())
    if (Function *Resolver = IFunc.getResolverFunction())
      if (!Resolver->isDeclaration())
        Reached.insert(Resolver);
  for (unsigned I = 0; I < Reached.size(); ++I) { // it grows in the loop
    for (Instruction &Inst : instructions(*Reached[I])) {
      auto *Call = dyn_cast<CallBase>(&Inst);
      if (!Call || Call->isInlineAsm())
        continue;
      auto *Callee = dyn_cast<Function>(
          Call->getCalledOperand()->stripPointerCastsAndAliases());
      if (!Callee)
        warn(*Reached[I],
             "it calls through a pointer; what it may call must have no marks "
             "(__attribute__((disable_sanitizer_instrumentation)))");
      else if (!Callee->isDeclaration())
        Reached.insert(Callee);
    }
  }
  return Reached;
}

/// True if a function for which \p IsEarly is false may use \p F.
bool hasOtherUses(const Function &F, function_ref<bool(Function *)> IsEarly) {
  if (!F.hasLocalLinkage())
    return true;
  return any_of(F.uses(), [&](const Use &U) {
    if (isa<GlobalIFunc>(U.getUser()))
      return false;
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return !Call || !Call->isCallee(&U) || !IsEarly(Call->getFunction());
  });
}

/// Whether a copy of \p F does what \p F does.
bool canBeCopied(const Function &F) {
  if (F.isInterposable())
    return false; // another definition may replace it
  // Tables may hold addresses of blocks, which belong to one function.
  return none_of(F, [](const BasicBlock &B) { return B.hasAddressTaken(); });
}

} // namespace

SetVector<Function *> separateResolverCode(Module &M) {
  SetVector<Function *> Reached = reachableFromResolvers(M);

  // A function that others use too is split: resolvers get an unmarked copy,
  // and the others keep the original. An original is itself another user, so a
  // split may require more splits.
  SetVector<Function *> Split, Unsplittable;
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (Function *F : Reached) {
      if (Split.contains(F) || Unsplittable.contains(F))
        continue;
      if (!hasOtherUses(*F, [&](Function *User) {
            return Reached.contains(User) && !Split.contains(User);
          }))
        continue;
      if (canBeCopied(*F)) {
        Split.insert(F);
      } else {
        Unsplittable.insert(F);
        warn(*F, "it cannot be copied, so its accesses are marked nowhere");
      }
      Changed = true;
    }
  }

  SetVector<Function *> Unmarked;
  DenseMap<Function *, Function *> Copies;
  for (Function *F : Reached) {
    if (!Split.contains(F)) {
      Unmarked.insert(F);
      continue;
    }
    ValueToValueMapTy Mapping;
    Function *Copy = CloneFunction(F, Mapping);
    Copy->setName(F->getName() + ".pagetide_unmarked");
    Copy->setLinkage(GlobalValue::InternalLinkage);
    Copy->setVisibility(GlobalValue::DefaultVisibility);
    Copy->setComdat(nullptr);
    Copies[F] = Copy;
    Unmarked.insert(Copy);
  }

  for (Function *F : Unmarked)
    for (Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (auto *Callee = dyn_cast<Function>(
                Call->getCalledOperand()->stripPointerCastsAndAliases()))
          if (Function *Copy = Copies.lookup(Callee))
            Call->setCalledOperand(Copy);
  for (GlobalIFunc &IFunc : M.ifuncs())
    if (Function *Copy = Copies.lookup(IFunc.getResolverFunction()))
      IFunc.setResolver(Copy);
  return Unmarked;
}

} // namespace pagetide

//===- OnDemand.cpp - A plain and a marked copy of each function ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OnDemand.h"

#include "AsmTexts.h"
#include "CodegenGuards.h"
#include "Diagnostics.h"
#include "EntryTest.h"
#include "LabelTables.h"
#include "target/Target.h"

#include "pagetide/abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/EntryExitInstrumenter.h"

#define DEBUG_TYPE "pagetide"

using namespace llvm;

namespace pagetide {
namespace {

//===----------------------------------------------------------------------===//
// What can be copied
//===----------------------------------------------------------------------===//

/// Why \p F exists only once; null if it is to be copied.
const char *whyNotCopied(const Function &F, const LabelTables &Tables,
                         const AsmTexts &Texts) {
  if (F.hasFnAttribute(Attribute::Cold))
    return "it is cold, as the program or a profile says";
  if (const char *Reason = target::whyNoEntryTest(F, hasEntryHook(F)))
    return Reason;
  if (!Tables.canBeCopied())
    return "other code may read or write a table of its labels' addresses";
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (Call->cannotDuplicate())
      return "it has a call that must not be duplicated";
    if (Call->isInlineAsm() && !Texts.mayRepeat(*Call))
      return "its inline assembly can stand only once, or cannot be read";
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Comdats of local symbols: a copy outside would refer to what the linker
/// discards with the comdat.
bool hasLocalMembers(const Comdat &Group, const Function &F) {
  return any_of(Group.getUsers(), [&](const GlobalObject *Member) {
    return Member != &F && Member->hasLocalLinkage();
  });
}

/// Gives \p Copy the linkage and comdat that belong to a copy of \p F.
void placeCopy(const Function &F, Function &Copy) {
  Module &M = *Copy.getParent();
  Copy.setName(F.getName() + CopySuffix);
  Copy.setDSOLocal(true);
  Copy.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  const Comdat *Group = F.getComdat();
  if ((F.hasLinkOnceODRLinkage() || F.hasWeakODRLinkage()) &&
      !(Group && hasLocalMembers(*Group, F))) {
    // Of inline functions one copy per linked file is enough. It has a comdat
    // of its own: if the linker takes F from a file that is not instrumented,
    // marked code still finds the marked copy.
    Copy.setLinkage(GlobalValue::LinkOnceODRLinkage);
    Copy.setVisibility(GlobalValue::HiddenVisibility);
    Copy.setComdat(M.getOrInsertComdat(Copy.getName()));
    return;
  }
  Copy.setVisibility(GlobalValue::DefaultVisibility);
  Copy.setLinkage(GlobalValue::InternalLinkage);
  Copy.setComdat(const_cast<Comdat *>(Group));
}

/// Code generation would tell -finstrument-functions-after-inlining and -pg of
/// a copy's address and not of \p F's.
void instrumentCalls(Function &F) {
  FunctionAnalysisManager Unused;
  EntryExitInstrumenterPass(/*PostInlining=*/true).run(F, Unused);
}

Function *copyFunction(Function &F, LabelTables &Tables) {
  ValueToValueMapTy Mapping;
  Tables.beginCopy(Mapping);
  Function *Copy = CloneFunction(&F, Mapping);
  Tables.endCopy(Mapping);
  placeCopy(F, *Copy);
  dropIdentity(*Copy);
  return Copy;
}

/// True if no other definition can take the place of \p F in a call from its
/// own file.
bool isCalledDirectly(const Function &F, const Function &Copy) {
  if (hasEntryHook(F)) // it counts or traces each call
    return false;
  if (F.hasLocalLinkage())
    return true;
  // A copy that is local to F's comdat may be discarded with it.
  if (Copy.hasLocalLinkage() && F.hasComdat())
    return false;
  return F.isDSOLocal() && !F.isInterposable();
}

/// Makes the marked functions call each other's marked copies.
void callCopies(const OnDemandFunctions &Functions,
                const DenseMap<Function *, Function *> &CopyOf) {
  for (auto [Original, Caller] : Functions.Copies)
    for (Instruction &I : instructions(*Caller)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      Value *Operand = Call->getCalledOperand()->stripPointerCasts();
      if (auto *Alias = dyn_cast<GlobalAlias>(Operand))
        if (Alias->isInterposable() || !Alias->isDSOLocal())
          continue;
      auto *Callee = dyn_cast<Function>(Operand->stripPointerCastsAndAliases());
      Function *Copy = Callee ? CopyOf.lookup(Callee) : nullptr;
      if (Copy && isCalledDirectly(*Callee, *Copy))
        Call->setCalledOperand(Copy);
    }
}

//===----------------------------------------------------------------------===//
// Who calls the plain copy
//===----------------------------------------------------------------------===//

/// True if code other than that of \p Copied may call \p F.
bool isReachedFromOutside(const Function &F,
                          const DenseMap<Function *, Function *> &CopyOf) {
  if (!F.hasLocalLinkage() || F.hasAddressTaken())
    return true;
  return any_of(F.users(), [&](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    return Call && !CopyOf.count(const_cast<Function *>(Call->getFunction()));
  });
}

void tellSingle(Function &F, const char *Reason) {
  OptimizationRemarkEmitter(&F).emit([&] {
    return OptimizationRemarkMissed(DEBUG_TYPE, "Single", F.getSubprogram(),
                                    &F.getEntryBlock())
           << "function '" << ore::NV("Function", &F)
           << "' exists once, and its marks test whether they are on, because "
           << Reason;
  });
}

} // namespace

GlobalVariable *marksOnByte(Module &M) {
  if (GlobalVariable *Known = M.getGlobalVariable(abi::kMarksOnSymbol))
    return Known;
  Type *Byte = Type::getInt8Ty(M.getContext());
  auto *On = new GlobalVariable(M, Byte, /*isConstant=*/false,
                                GlobalValue::WeakAnyLinkage,
                                ConstantInt::get(Byte, 0), abi::kMarksOnSymbol);
  // Not in a comdat: objcopy can make the symbol local, and then each file
  // needs the byte of its own. The runtime finds each by its file's record.
  On->setVisibility(GlobalValue::HiddenVisibility);
  On->setDSOLocal(true);
  On->setAlignment(Align(1));
  // The linker takes that of any file, also of another code model. Code must
  // reach it before large data begins: .bss alone may have gigabytes.
  On->setCodeModel(CodeModel::Small);
  On->setSection((".data." + Twine(abi::kMarksOnSymbol)).str());
  GlobalValue::SanitizerMetadata Sanitizers;
  Sanitizers.NoAddress = true; // the runtime writes it
  Sanitizers.NoHWAddress = true;
  On->setSanitizerMetadata(Sanitizers);
  return On;
}

bool hasTwoCopies(Function &F, const AsmTexts &Texts) {
  return !whyNotCopied(F, LabelTables(F), Texts);
}

OnDemandFunctions splitOnDemand(Module &M, ArrayRef<Function *> Functions,
                                const AsmTexts &Texts) {
  OnDemandFunctions Result;
  GlobalVariable *On = marksOnByte(M);
  DenseMap<Function *, Function *> CopyOf;
  for (Function *F : Functions) {
    LabelTables Tables(*F);
    if (const char *Reason = whyNotCopied(*F, Tables, Texts)) {
      tellSingle(*F, Reason);
      Result.Single.push_back(F);
      continue;
    }
    instrumentCalls(*F);
    Function *Copy = copyFunction(*F, Tables);
    CopyOf[F] = Copy;
    Result.Copies.push_back({F, Copy});
  }

  // From here on copies call the copies of local functions, so they do not
  // count as callers from outside.
  callCopies(Result, CopyOf);
  for (auto [F, Copy] : Result.Copies)
    if (isReachedFromOutside(*F, CopyOf)) {
      insertEntryTest(*F, *Copy, *On);
      dropMemoryPromises(*F);
    }
  return Result;
}

} // namespace pagetide

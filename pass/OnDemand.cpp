//===- OnDemand.cpp - A plain and a marked copy of each function ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnDemand.h"

#include "CodegenGuards.h"
#include "LabelTables.h"

#include "pagetide/abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"
#include "llvm/Transforms/Utils/Cloning.h"

#define DEBUG_TYPE "pagetide"

using namespace llvm;

namespace pagetide {
namespace {

constexpr char CopySuffix[] = ".pagetide";

/// The test expects that nobody records: the plain copy is laid out behind it.
constexpr uint32_t LikelyPlain = 2000;

/// These make code generation or a later pass report each entry of a function.
/// The plain copy reports it, whichever copy runs then.
constexpr const char *EntryReports[] = {
    "fentry-call",
    "function-instrument",
    "instrument-function-entry",
    "instrument-function-entry-inlined",
    "instrument-function-exit",
    "instrument-function-exit-inlined",
    "mnop-mcount",
    "mrecord-mcount",
    "patchable-function",
    "patchable-function-entry",
    "patchable-function-prefix",
};

//===----------------------------------------------------------------------===//
// What can be copied
//===----------------------------------------------------------------------===//

/// True if a second copy of \p Asm would define a symbol again.
bool definesSymbols(const InlineAsm &Asm) {
  static const Regex Directive("(^|[\n;])[ \t]*\\.(globl|global|weak|set|equ|"
                               "symver|type|size|comm|lcomm)[ \t]");
  static const Regex Label("(^|[\n;])[ \t]*([A-Za-z_.][A-Za-z0-9_.$]*):");
  StringRef Text = Asm.getAsmString();
  if (Directive.match(Text))
    return true;
  SmallVector<StringRef> Found;
  while (Label.match(Text, &Found)) {
    // Systemtap's probes define one symbol of theirs unless it is defined.
    if (!StringRef(Asm.getAsmString()).contains((".ifndef " + Found[2]).str()))
      return true;
    Text = Text.substr(Text.find(Found[0]) + Found[0].size());
  }
  return false;
}

/// True if code generation cannot pass \p F's arguments on where they lie. LLVM
/// 19 copies structures that are passed on the stack over the return address.
bool needsStub(const Function &F) {
  return any_of(F.args(), [](const Argument &A) {
    return A.hasPassPointeeByValueCopyAttr();
  });
}

/// Why \p F can exist only once; null if it can be copied.
const char *whyNotCopied(const Function &F, const LabelTables &Tables) {
  if (F.getCallingConv() == CallingConv::X86_INTR)
    return "it is an interrupt handler";
  if (needsStub(F) && any_of(F, [](const BasicBlock &Block) {
        return Block.hasAddressTaken();
      }))
    return "it takes structures by value and addresses of its labels";
  if (!Tables.canBeCopied())
    return "other code may read or write a table of its labels' addresses";
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    if (Call->cannotDuplicate())
      return "it has a call that must not be duplicated";
    if (Call->isInlineAsm() &&
        definesSymbols(*cast<InlineAsm>(Call->getCalledOperand())))
      return "its inline assembly defines a symbol";
  }
  return nullptr;
}

/// True if marks would change nothing in \p F: it touches no memory, and calls
/// nothing that may.
bool touchesNothing(const Function &F) {
  return none_of(instructions(F), [](const Instruction &I) {
    if (isa<DbgInfoIntrinsic, LifetimeIntrinsic, AssumeInst>(I))
      return false;
    return I.mayReadOrWriteMemory() || isa<CallBase>(I);
  });
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

Function *copyFunction(Function &F, LabelTables &Tables) {
  ValueToValueMapTy Mapping;
  Tables.beginCopy(Mapping);
  Function *Copy = CloneFunction(&F, Mapping);
  Tables.endCopy(Mapping);
  placeCopy(F, *Copy);
  return Copy;
}

/// True if no other definition can take the place of \p F in a call from its
/// own file.
bool isCalledDirectly(const Function &F, const Function &Copy) {
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
// The test at a function's entry
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

bool isVariable(const Instruction &I) {
  const auto *Alloca = dyn_cast<AllocaInst>(&I);
  return Alloca && Alloca->isStaticAlloca();
}

/// Splits the entry block behind \p F's variables. In another block they would
/// make the stack grow each time.
BasicBlock *splitBehindVariables(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  BasicBlock::iterator Place = find_if_not(Entry, isVariable);
  for (Instruction &I : make_early_inc_range(make_range(Place, Entry.end())))
    if (isVariable(I))
      I.moveBefore(Entry, Place);
  return Entry.splitBasicBlock(Place, "pagetide.plain");
}

/// F: if marks are on, return Copy(the same arguments).
void insertTest(Function &F, Function &Copy, GlobalVariable &On) {
  LLVMContext &Context = F.getContext();
  BasicBlock *Plain = splitBehindVariables(F);
  BasicBlock *Marked = BasicBlock::Create(Context, "pagetide.marked", &F);
  BasicBlock &Entry = F.getEntryBlock();
  Entry.getTerminator()->eraseFromParent();

  IRBuilder<> Builder(&Entry);
  // Line 0: a breakpoint on F is at F's first line, in the copy that runs.
  if (DISubprogram *Program = F.getSubprogram())
    Builder.SetCurrentDebugLocation(DILocation::get(Context, 0, 0, Program));
  LoadInst *Load = Builder.CreateLoad(Builder.getInt8Ty(), &On);
  Load->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(Context, {}));
  Builder.CreateCondBr(Builder.CreateIsNull(Load), Plain, Marked,
                       MDBuilder(Context).createBranchWeights(LikelyPlain, 1));

  Builder.SetInsertPoint(Marked);
  SmallVector<Value *> Arguments(
      map_range(F.args(), [](Argument &A) -> Value * { return &A; }));
  CallInst *Call = Builder.CreateCall(&Copy, Arguments);
  Call->setTailCallKind(CallInst::TCK_MustTail);
  Call->setCallingConv(F.getCallingConv());
  AttributeList Attributes = F.getAttributes();
  Call->setAttributes(Attributes.removeFnAttributes(Context));
  if (F.getReturnType()->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Call);
}

/// Moves the body of \p F to F.plain, and makes F jump to that or to \p Copy.
/// Nothing of F itself touches an argument.
void insertStub(Function &F, Function &Copy, GlobalVariable &On) {
  LLVMContext &Context = F.getContext();
  Module &M = *F.getParent();
  Function *Body =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                       F.getAddressSpace(), F.getName() + ".plain", &M);
  Body->copyAttributesFrom(&F);
  Body->setLinkage(GlobalValue::InternalLinkage);
  Body->setVisibility(GlobalValue::DefaultVisibility);
  Body->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Body->setDSOLocal(true);
  Body->setComdat(F.getComdat());
  Body->copyMetadata(&F, 0);
  Body->splice(Body->begin(), &F);
  for (auto [Old, New] : zip_equal(F.args(), Body->args())) {
    New.takeName(&Old);
    Old.replaceAllUsesWith(&New);
  }

  F.clearMetadata();
  F.setPersonalityFn(nullptr);
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (!A.isStringAttribute())
      F.removeFnAttr(A.getKindAsEnum());
  F.addFnAttr(Attribute::Naked);
  F.addFnAttr(Attribute::NoInline);
  F.addFnAttr(Attribute::NoUnwind);

  IRBuilder<> Builder(BasicBlock::Create(Context, "", &F));
  auto *Type = FunctionType::get(
      Builder.getVoidTy(),
      {Builder.getPtrTy(), Builder.getPtrTy(), Builder.getPtrTy()}, false);
  Builder.CreateCall(
      InlineAsm::get(Type, "cmpb $$0, ${0:c}(%rip)\n\tjne ${1:c}\n\tjmp ${2:c}",
                     "i,i,i", /*hasSideEffects=*/true),
      {&On, &Copy, Body});
  Builder.CreateUnreachable();
}

void tellSingle(Function &F, const char *Reason) {
  OptimizationRemarkEmitter(&F).emit([&] {
    return OptimizationRemarkMissed(DEBUG_TYPE, "Single", F.getSubprogram(),
                                    &F.getEntryBlock())
           << "function '" << ore::NV("Function", &F)
           << "' exists once, and calls the runtime for each access, because "
           << Reason;
  });
}

} // namespace

StringRef nameInSource(const Function &F) {
  StringRef Name = F.getName();
  Name.consume_back(CopySuffix);
  return Name;
}

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
  GlobalValue::SanitizerMetadata Sanitizers;
  Sanitizers.NoAddress = true; // the runtime writes it
  Sanitizers.NoHWAddress = true;
  On->setSanitizerMetadata(Sanitizers);
  return On;
}

OnDemandFunctions splitOnDemand(Module &M, ArrayRef<Function *> Functions) {
  OnDemandFunctions Result;
  GlobalVariable *On = marksOnByte(M);
  DenseMap<Function *, Function *> CopyOf;
  for (Function *F : Functions) {
    if (touchesNothing(*F)) {
      Result.Plain.push_back(F);
      continue;
    }
    LabelTables Tables(*F);
    if (const char *Reason = whyNotCopied(*F, Tables)) {
      tellSingle(*F, Reason);
      Result.Single.push_back(F);
      continue;
    }
    Function *Copy = copyFunction(*F, Tables);
    CopyOf[F] = Copy;
    Result.Copies.push_back({F, Copy});
    Result.Plain.push_back(F);
  }

  // From here on copies call the copies of local functions, so they do not
  // count as callers from outside.
  callCopies(Result, CopyOf);
  for (Function *F : Result.Plain) {
    Function *Copy = CopyOf.lookup(F);
    if (!Copy || !isReachedFromOutside(*F, CopyOf))
      continue;
    for (const char *Report : EntryReports)
      Copy->removeFnAttr(Report);
    if (needsStub(*F)) {
      insertStub(*F, *Copy, *On);
    } else {
      insertTest(*F, *Copy, *On);
      dropMemoryPromises(*F);
    }
  }
  return Result;
}

} // namespace pagetide

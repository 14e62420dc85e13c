//===- EntryTest.cpp - The test that a plain copy begins with -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EntryTest.h"

#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {
namespace {

/// These put code to the very beginning of a function, before a test could be.
/// Tools look for it there.
constexpr const char *EntryHooks[] = {
    "fentry-call",
    "patchable-function-entry",
    "patchable-function-prefix",
};

//===----------------------------------------------------------------------===//
// Functions that something else begins
//===----------------------------------------------------------------------===//

/// Moves the body of \p F to a function of its own.
Function *moveBody(Function &F) {
  Function *Body = Function::Create(
      F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(),
      F.getName() + ".plain", F.getParent());
  Body->copyAttributesFrom(&F);
  Body->setVisibility(GlobalValue::DefaultVisibility);
  Body->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Body->setDSOLocal(true);
  Body->setComdat(F.getComdat());
  Body->copyMetadata(&F, 0);
  dropIdentity(*Body);
  Body->splice(Body->begin(), &F);
  for (auto [Old, New] : zip_equal(F.args(), Body->args())) {
    New.takeName(&Old);
    Old.replaceAllUsesWith(&New);
  }
  return Body;
}

/// Makes \p F, whose body is in \p Body, a jump to that or to \p Copy. All else
/// that \p F carries stays: what calls it, finds it and patches it.
void makeStub(Function &F, Function &Copy, Function &Body, GlobalVariable &On) {
  LLVMContext &Context = F.getContext();
  F.setSubprogram(nullptr); // Body has it
  F.setPersonalityFn(nullptr);
  // The stub has no frame, and is inlined nowhere.
  for (Attribute::AttrKind Kind :
       {Attribute::AlwaysInline, Attribute::OptimizeNone,
        Attribute::StackProtect, Attribute::StackProtectReq,
        Attribute::StackProtectStrong})
    F.removeFnAttr(Kind);
  F.addFnAttr(Attribute::Naked);
  F.addFnAttr(Attribute::NoInline);

  IRBuilder<> Builder(BasicBlock::Create(Context, "", &F));
  auto *Type = FunctionType::get(
      Builder.getVoidTy(),
      {Builder.getPtrTy(), Builder.getPtrTy(), Builder.getPtrTy()}, false);
  Builder.CreateCall(target::entryStub(Type), {&On, &Copy, &Body});
  Builder.CreateUnreachable();
}

} // namespace

bool hasEntryHook(const Function &F) {
  return any_of(EntryHooks,
                [&](const char *Hook) { return F.hasFnAttribute(Hook); });
}

void dropIdentity(Function &Copy) {
  for (unsigned Kind : {LLVMContext::MD_type, LLVMContext::MD_kcfi_type,
                        LLVMContext::MD_func_sanitize})
    Copy.eraseMetadata(Kind);
  Copy.setPrefixData(nullptr);
  Copy.setPrologueData(nullptr);
  for (const char *Hook : EntryHooks)
    Copy.removeFnAttr(Hook);
}

void insertEntryTest(Function &F, Function &Copy, GlobalVariable &On) {
  if (hasEntryHook(F)) {
    Function *Body = moveBody(F);
    makeStub(F, Copy, *Body, On);
    return;
  }
  // Inlined, it would be without the test.
  F.removeFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoInline);
  target::prependEntryTest(F, Copy, On);
}

} // namespace pagetide

//===- CallStubs.cpp - How marked code calls the runtime by name ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallStubs.h"

#include "target/Target.h"

#include "pagetide/abi.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <string>

using namespace llvm;

namespace pagetide {

/// The address of what the linker knows as \p Name.
static Value *addressOfSymbol(Module &M, StringRef Name, FunctionType *Type,
                              IRBuilder<> &Builder) {
  Value *Symbol = M.getOrInsertFunction(Name, Type).getCallee();
  auto *F = dyn_cast<Function>(Symbol);
  if (!F || !F->isDeclaration() || !F->hasDefaultVisibility() ||
      !F->isDSOLocal() || M.getCodeModel() == CodeModel::Large)
    return Symbol;
  // Without position-independent code the address would be a constant. Then an
  // entry of the program's own would stand for the function everywhere.
  return target::addressByLoader(Builder, *F);
}

Function *callStub(Module &M, StringRef Name, StringRef Suffix,
                   FunctionType *Type, AttributeList Attributes) {
  std::string StubName = ("__pagetide_call." + Name + Suffix).str();
  if (Function *Known = M.getFunction(StubName))
    return Known;
  LLVMContext &Context = M.getContext();
  Function *Stub =
      Function::Create(Type, GlobalValue::InternalLinkage, StubName, &M);
  // The runtime writes marks, so it keeps no promise about memory.
  Stub->setAttributes(Attributes.removeFnAttribute(Context, Attribute::Memory));
  // LLVM 18 would make an attribute of nothing.
  if (M.getUwtable() != UWTableKind::None)
    Stub->setUWTableKind(M.getUwtable());
  Stub->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  Stub->addFnAttr(Attribute::NoSanitizeCoverage);

  IRBuilder<> Builder(BasicBlock::Create(Context, "", Stub));
  SmallVector<Value *, abi::kCalledArgument + 1> Passed;
  for (Argument &A : Stub->args())
    Passed.push_back(&A);
  assert(Passed.size() <= abi::kCalledArgument);
  Passed.resize(abi::kCalledArgument, PoisonValue::get(Builder.getInt64Ty()));
  // The site is an argument of the runtime's function alone.
  auto *NamedType = FunctionType::get(
      Type->getReturnType(), Type->params().drop_back(Suffix.empty() ? 0 : 1),
      /*isVarArg=*/false);
  Passed.push_back(addressOfSymbol(M, Name, NamedType, Builder));
  SmallVector<llvm::Type *, abi::kCalledArgument + 1> Types;
  for (Value *V : Passed)
    Types.push_back(V->getType());
  FunctionCallee Runtime =
      M.getOrInsertFunction(("__pagetide_" + Name + Suffix).str(),
                            FunctionType::get(Type->getReturnType(), Types,
                                              /*isVarArg=*/false));
  // One jump less: without an entry of the procedure linkage table.
  if (auto *F = dyn_cast<Function>(Runtime.getCallee()))
    F->addFnAttr(Attribute::NonLazyBind);
  CallInst *Call = Builder.CreateCall(Runtime, Passed);
  Call->setTailCall();
  Builder.CreateRet(Call);
  return Stub;
}

} // namespace pagetide

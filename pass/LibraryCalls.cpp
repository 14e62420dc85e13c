//===- LibraryCalls.cpp - Calls of libc that the runtime makes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LibraryCalls.h"

#include "CallStubs.h"
#include "LlvmCompat.h"
#include "Splitting.h"
#include "pagetide/abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

#define DEBUG_TYPE "pagetide"

using namespace llvm;

// NOLINTBEGIN(readability-identifier-naming): LLVM's macro declares them
ALWAYS_ENABLED_STATISTIC(NumNamedCalls, "Calls of libc that call the runtime");
ALWAYS_ENABLED_STATISTIC(NumIndirectCalls, "Calls through tested pointers");
// NOLINTEND(readability-identifier-naming)

namespace pagetide {
namespace {

/// The types of a function's result and parameters; "" if the runtime has no
/// function in its place.
StringRef typesOf(StringRef Name) {
  return StringSwitch<StringRef>(Name)
#define PAGETIDE_CALL_SITE_FUNCTION(name, types) .Case(#name, types)
#include "pagetide/call_site_functions.def"
      .Default("");
}

bool isOfType(Type *T, char Letter) {
  switch (Letter) {
  case 'i':
  case 'w':
    return T->isIntegerTy(32);
  case 'l':
  case 'z':
    return T->isIntegerTy(64);
  case 'd':
    return T->isDoubleTy();
  case 'p':
    return T->isPointerTy() && T->getPointerAddressSpace() == 0;
  default:
    llvm_unreachable("no such letter in call_site_functions.def");
  }
}

/// Whether a function of these types is one of \p Types, as
/// call_site_functions.def has them.
bool isOfTypes(Type *Result, ArrayRef<Type *> Parameters, StringRef Types) {
  return Types.size() == Parameters.size() + 1 &&
         isOfType(Result, Types.front()) &&
         all_of(zip_equal(Parameters, Types.drop_front()), [](auto Pair) {
           return isOfType(std::get<0>(Pair), std::get<1>(Pair));
         });
}

/// Whether \p F is libc's. A function with a body, or one that is hidden, is
/// the program's own.
bool isReplaceable(const Function &F) {
  const FunctionType &T = *F.getFunctionType();
  return F.isDeclaration() && F.hasDefaultVisibility() && !F.isVarArg() &&
         F.getCallingConv() == CallingConv::C &&
         isOfTypes(T.getReturnType(), T.params(), typesOf(F.getName()));
}

/// What is called in place of \p F.
Function *replacementOf(Function &F) {
  return callStub(*F.getParent(), F.getName(), "", F.getFunctionType(),
                  F.getAttributes());
}

/// Whether the function at \p U is only called there, perhaps through phis and
/// selects. \p Seen gets those.
bool isOnlyCalled(Use &U, SmallPtrSetImpl<Instruction *> &Seen) {
  auto *User = cast<Instruction>(U.getUser());
  if (auto *Call = dyn_cast<CallBase>(User))
    return Call->isCallee(&U);
  if (!isa<PHINode, SelectInst>(User))
    return false;
  return !Seen.insert(User).second || all_of(User->uses(), [&](Use &Next) {
    return isOnlyCalled(Next, Seen);
  });
}

/// Whether \p Call is of the type of some function in the table. The arguments
/// say so: a call without a prototype may take any.
bool isTypeOfReplaceable(const CallBase &Call) {
  constexpr StringLiteral AllTypes[] = {
#define PAGETIDE_CALL_SITE_FUNCTION(name, types) types,
#include "pagetide/call_site_functions.def"
  };
  SmallVector<Type *, 4> Arguments(
      map_range(Call.args(), [](const Use &U) { return U->getType(); }));
  return any_of(AllTypes, [&](StringRef Types) {
    return isOfTypes(Call.getType(), Arguments, Types);
  });
}

/// Whether \p Callee comes from a table of virtual functions.
bool isVirtual(const Value &Callee) {
  auto *Entry = dyn_cast<LoadInst>(&Callee);
  if (!Entry)
    return false;
  auto *Table = dyn_cast<LoadInst>(
      Entry->getPointerOperand()->stripInBoundsConstantOffsets());
  MDNode *Type = Table ? Table->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return Type && Type->isTBAAVtableAccess();
}

/// Whether \p Call may reach a function in the table through a pointer.
bool mayReachReplaceable(const CallBase &Call) {
  const Value &Callee = *Call.getCalledOperand();
  return Call.isIndirectCall() && Call.getCallingConv() == CallingConv::C &&
         isTypeOfReplaceable(Call) && !isVirtual(Callee);
}

/// The word at \p Offset of the runtime's range of named functions.
Value *loadOfRange(IRBuilder<> &Builder, size_t Offset) {
  Module &M = *Builder.GetInsertBlock()->getModule();
  Type *Word = Builder.getInt64Ty();
  Constant *Range = M.getOrInsertGlobal(abi::kNamedFunctionsSymbol,
                                        StructType::get(Word, Word));
  LoadInst *Load = Builder.CreateLoad(
      Word,
      Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Range, Offset));
  Load->setMetadata(LLVMContext::MD_nosanitize,
                    MDNode::get(M.getContext(), {}));
  return Load;
}

/// Lets \p Call reach the runtime if its pointer is to a function in the table.
void redirectIndirectCall(CallBase &Call) {
  Module &M = *Call.getModule();
  Value *Callee = Call.getCalledOperand();
  IRBuilder<> Builder(&Call);
  Value *Address = Builder.CreatePtrToInt(Callee, Builder.getInt64Ty());
  Value *Distance = Builder.CreateSub(
      Address, loadOfRange(Builder, offsetof(abi::NamedFunctions, begin)));
  Value *IsInRange = Builder.CreateICmpULT(
      Distance, loadOfRange(Builder, offsetof(abi::NamedFunctions, bytes)));
  BasicBlock *Before = Call.getParent();
  Instruction *End =
      SplitBlockAndInsertIfThen(IsInRange, &Call, /*Unreachable=*/false,
                                compat::unlikelyBranchWeights(M.getContext()));
  keepAllocasInEntry(*Before, *Call.getParent());
  Builder.SetInsertPoint(End);
  FunctionCallee Named = M.getOrInsertFunction(
      "__pagetide_named_function", Callee->getType(), Callee->getType());
  CallInst *Found = Builder.CreateCall(Named, Callee);
  Found->setDoesNotThrow();
  Builder.SetInsertPoint(&Call);
  PHINode *Chosen = Builder.CreatePHI(Callee->getType(), 2);
  Chosen->addIncoming(Callee, Before);
  Chosen->addIncoming(Found, End->getParent());
  Call.setCalledOperand(Chosen);
  Call.removeFnAttr(Attribute::Memory);
}

} // namespace

bool mayCallLibrary(const Function &F) {
  auto IsReplaceableUse = [](const Use &U) {
    auto *Callee = dyn_cast<Function>(U.get());
    return Callee && isReplaceable(*Callee);
  };
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return (Call && mayReachReplaceable(*Call)) ||
           any_of(I.operands(), IsReplaceableUse);
  });
}

void redirectLibraryCalls(Function &F) {
  SmallVector<CallBase *> Indirect;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && mayReachReplaceable(*Call))
      Indirect.push_back(Call);

  SmallVector<Use *> Calls;
  for (Instruction &I : instructions(F))
    for (Use &U : I.operands())
      if (auto *Callee = dyn_cast<Function>(U.get());
          Callee && isReplaceable(*Callee)) {
        SmallPtrSet<Instruction *, 8> Seen;
        if (isOnlyCalled(U, Seen))
          Calls.push_back(&U);
      }
  NumNamedCalls += Calls.size();
  NumIndirectCalls += Indirect.size();
  for (Use *U : Calls) {
    U->set(replacementOf(*cast<Function>(U->get())));
    if (auto *Call = dyn_cast<CallBase>(U->getUser()))
      Call->removeFnAttr(Attribute::Memory);
  }
  for (CallBase *Call : Indirect)
    redirectIndirectCall(*Call);
}

} // namespace pagetide

//===- CodegenGuards.cpp - What keeps marks true in code gen --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodegenGuards.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/Sink.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace pagetide {
namespace {

/// Passes the pointer \p U through an integer. That costs no instruction, and
/// alias analysis no longer knows what the pointer points to.
void hideOrigin(Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  LLVMContext &Context = User->getContext();
  auto *Bits = new PtrToIntInst(U.get(), Type::getInt64Ty(Context), "",
                                User->getIterator());
  auto *Pointer = new IntToPtrInst(Bits, U->getType(), "", User->getIterator());
  Bits->setDebugLoc(User->getDebugLoc());
  Pointer->setDebugLoc(User->getDebugLoc());
  U.set(Pointer);
}

/// The pointer operand of a read that code generation orders by what alias
/// analysis says of it.
Use *readPointer(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() ? &I.getOperandUse(Load->getPointerOperandIndex())
                            : nullptr;
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic)
    return nullptr;
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_expandload:
  case Intrinsic::vp_load:
    return &Intrinsic->getArgOperandUse(0);
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
    return &Intrinsic->getArgOperandUse(1);
  default:
    return nullptr;
  }
}

void keepBehindMark(Instruction &I, AAResults &AA) {
  I.setMetadata(LLVMContext::MD_invariant_load, nullptr);
  Use *Pointer = readPointer(I);
  if (!Pointer)
    return;

  if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    auto *Source =
        dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer->get()));
    if (Source && Source->isConstant())
      Copy->setVolatile(ConstantInt::getTrue(I.getContext()));
  }

  auto IsConstantMemory = [&] {
    return AA.pointsToConstantMemory(
        MemoryLocation::getBeforeOrAfter(Pointer->get(), I.getAAMetadata()));
  };
  if (!IsConstantMemory())
    return;
  hideOrigin(*Pointer);
  // The type of the access alone may say so.
  if (IsConstantMemory())
    I.setMetadata(LLVMContext::MD_tbaa, nullptr);
}

/// Functions of the C library that access memory and that code generation knows
/// how to do without.
bool isExpandedByCodegen(LibFunc Function) {
  switch (Function) {
  case LibFunc_bcmp:
  case LibFunc_memchr:
  case LibFunc_memcmp:
  case LibFunc_mempcpy:
  case LibFunc_stpcpy:
  case LibFunc_strcmp:
  case LibFunc_strcpy:
  case LibFunc_strlen:
  case LibFunc_strnlen:
  // With a buffer of unknown size these become their plain namesakes, of which
  // some are then expanded.
  case LibFunc_memccpy_chk:
  case LibFunc_memcpy_chk:
  case LibFunc_memmove_chk:
  case LibFunc_mempcpy_chk:
  case LibFunc_memset_chk:
  case LibFunc_snprintf_chk:
  case LibFunc_sprintf_chk:
  case LibFunc_stpcpy_chk:
  case LibFunc_stpncpy_chk:
  case LibFunc_strcat_chk:
  case LibFunc_strcpy_chk:
  case LibFunc_strlcat_chk:
  case LibFunc_strlcpy_chk:
  case LibFunc_strlen_chk:
  case LibFunc_strncat_chk:
  case LibFunc_strncpy_chk:
  case LibFunc_vsnprintf_chk:
  case LibFunc_vsprintf_chk:
    return true;
  default:
    return false;
  }
}

} // namespace

void settleLoads(Function &F, FunctionAnalysisManager &FAM) {
  // Users follow what they use, but for loops, whose phi nodes keep what they
  // use alive anyway.
  for (BasicBlock *Block : post_order(&F))
    for (Instruction &I : make_early_inc_range(reverse(*Block)))
      if (!isa<CallBase, AllocaInst>(I) && isInstructionTriviallyDead(&I)) {
        salvageDebugInfo(I);
        I.eraseFromParent();
      }
  if (F.hasOptNone())
    return; // code generation will not move anything
  FAM.invalidate(F, PreservedAnalyses::none());
  SinkingPass().run(F, FAM);
}

void keepBehindMarks(ArrayRef<Instruction *> Reads, AAResults &AA) {
  for (Instruction *I : Reads)
    keepBehindMark(*I, AA);
}

void keepLibraryCalls(Function &F, const TargetLibraryInfo &TLI) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    LibFunc Known;
    if (Call && TLI.getLibFunc(*Call, Known) && isExpandedByCodegen(Known))
      Call->addFnAttr(Attribute::NoBuiltin);
  }
}

void takeBackMemoryPromises(Function &F) {
  constexpr Attribute::AttrKind Promises[] = {
      Attribute::Memory, Attribute::NoSync, Attribute::Speculatable};
  for (Attribute::AttrKind Promise : Promises)
    F.removeFnAttr(Promise);
  for (User *U : F.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (Call && Call->getCalledOperand() == &F)
      for (Attribute::AttrKind Promise : Promises)
        Call->removeFnAttr(Promise);
  }
}

} // namespace pagetide

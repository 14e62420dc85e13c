//===- CodegenGuards.cpp - What keeps marks true in code gen --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodegenGuards.h"

#include "LlvmCompat.h"
#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#define DEBUG_TYPE "pagetide"

using namespace llvm;

// NOLINTNEXTLINE(readability-identifier-naming): LLVM's macro declares it
ALWAYS_ENABLED_STATISTIC(NumLookedAt,
                         "Instructions looked at because loads may be sunk");

namespace pagetide {
namespace {

//===----------------------------------------------------------------------===//
// Constant memory
//===----------------------------------------------------------------------===//

/// Passes the pointer \p U through an integer, so that alias analysis does not
/// know what it points to. That costs no instruction.
void hideOrigin(Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  LLVMContext &Context = User->getContext();
  auto Place = compat::placeOf(User->getIterator());
  auto *Bits = new PtrToIntInst(U.get(), Type::getInt64Ty(Context), "", Place);
  auto *Pointer = new IntToPtrInst(Bits, U->getType(), "", Place);
  Bits->setDebugLoc(User->getDebugLoc());
  Pointer->setDebugLoc(User->getDebugLoc());
  U.set(Pointer);
}

/// The pointer operand of a read that code generation orders by alias analysis.
Use *readPointer(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple()
               ? &I.getOperandUse(LoadInst::getPointerOperandIndex())
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

/// Passes the pointer \p U through empty inline assembly, so that code
/// generation does not know what it points to.
void hideValue(Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  Type *PtrTy = U->getType();
  auto *Asm = InlineAsm::get(FunctionType::get(PtrTy, {PtrTy}, false), "",
                             "=r,0", /*hasSideEffects=*/false);
  auto *Pointer = CallInst::Create(Asm, {U.get()}, "",
                                   compat::placeOf(User->getIterator()));
  Pointer->setDoesNotThrow();
  Pointer->setDebugLoc(User->getDebugLoc());
  U.set(Pointer);
}

/// For arguments that are copied for the call. Code generation may replace the
/// copy of a constant by stores of immediates.
void preventImmediateCopies(CallBase &Call) {
  for (unsigned Argument = 0; Argument != Call.arg_size(); ++Argument) {
    Use &Pointer = Call.getArgOperandUse(Argument);
    if (!Call.isByValArgument(Argument))
      continue;
    auto *Source = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer.get()));
    if (Source && Source->isConstant())
      hideValue(Pointer);
  }
}

void preventReorderingOf(Instruction &I, AAResults &AA) {
  I.setMetadata(LLVMContext::MD_invariant_load, nullptr);
  if (auto *Call = dyn_cast<CallBase>(&I))
    preventImmediateCopies(*Call);
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

//===----------------------------------------------------------------------===//
// Loads that could be sunk
//===----------------------------------------------------------------------===//

/// True if code generation does not move loads past \p I.
bool stopsSinking(const Instruction &I) {
  if (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(I))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (!isa<IntrinsicInst>(Call) || isa<MemIntrinsic>(Call));
}

/// The value that decides which successor runs. Null if a condition has several
/// parts: code generation splits it, and its first part may decide alone.
const Value *decidingValue(const Instruction &Terminator) {
  if (auto *Switch = dyn_cast<SwitchInst>(&Terminator))
    return Switch->getCondition();
  if (auto *Jump = dyn_cast<IndirectBrInst>(&Terminator))
    return Jump->getAddress();
  auto *Branch = dyn_cast<BranchInst>(&Terminator);
  if (!Branch || !Branch->isConditional())
    return nullptr;
  return isa<CmpInst>(Branch->getCondition()) ? Branch->getCondition()
                                              : nullptr;
}

/// What \p Result, if it is in \p Block, is computed from there, and itself.
SmallPtrSet<const Instruction *, 16> neededFor(const Value *Result,
                                               const BasicBlock &Block) {
  SmallPtrSet<const Instruction *, 16> Needed;
  SmallVector<const Value *, 16> Worklist = {Result};
  while (!Worklist.empty()) {
    ++NumLookedAt;
    const auto *I = dyn_cast<Instruction>(Worklist.pop_back_val());
    if (I && I->getParent() == &Block && !isa<PHINode>(I) &&
        Needed.insert(I).second)
      Worklist.append(I->value_op_begin(), I->value_op_end());
  }
  return Needed;
}

/// True if code generation may move one of \p Reads from \p Block to a
/// successor. Looks at each instruction once, however many reads there are.
bool mayBeSunk(const BasicBlock &Block,
               const SmallPtrSetImpl<const Instruction *> &Reads) {
  const Instruction &Terminator = *Block.getTerminator();
  if (Terminator.getNumSuccessors() < 2)
    return false;
  SmallVector<const Instruction *, 16> Movable;
  for (const Instruction &I : reverse(Block)) {
    ++NumLookedAt;
    if (stopsSinking(I))
      break;
    if (Reads.contains(&I) && !I.isVolatile() && !I.isAtomic())
      Movable.push_back(&I);
  }
  const Value *Deciding = Movable.empty() ? nullptr : decidingValue(Terminator);
  if (!Deciding)
    return !Movable.empty();
  auto Needed = neededFor(Deciding, Block);
  return any_of(Movable,
                [&](const Instruction *I) { return !Needed.contains(I); });
}

/// Inserts an instruction without code that counts as a store.
void insertBarrier(Instruction &Before) {
  LLVMContext &Context = Before.getContext();
  auto *Type = FunctionType::get(Type::getVoidTy(Context), false);
  auto *Asm = InlineAsm::get(Type, "", "~{memory}", /*hasSideEffects=*/true);
  auto *Barrier =
      CallInst::Create(Type, Asm, "", compat::placeOf(Before.getIterator()));
  Barrier->setDoesNotThrow();
  Barrier->setDebugLoc(Before.getDebugLoc());
  Barrier->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(Context, {}));
}

//===----------------------------------------------------------------------===//
// Loads that a select chooses from
//===----------------------------------------------------------------------===//

/// Whether a select may yield \p Value, or a conversion of it.
bool isChosen(const Value &Value) {
  return any_of(Value.users(), [&](const User *U) {
    if (auto *Select = dyn_cast<SelectInst>(U))
      return Select->getTrueValue() == &Value ||
             Select->getFalseValue() == &Value;
    return isa<CastInst>(U) && isChosen(*U);
  });
}

/// Prevents a jump around a load whose value may be selected. Code generation
/// turns a conditional move from memory into such a jump. Empty inline assembly
/// passes the value on, so that the move is from a register.
void preventConditionalLoad(LoadInst &Load) {
  Type *Chosen = Load.getType();
  const DataLayout &DL = Load.getModule()->getDataLayout();
  bool HasMove = Chosen->isPointerTy() || Chosen->isIntegerTy(16) ||
                 Chosen->isIntegerTy(32) || Chosen->isIntegerTy(64);
  if (!HasMove || DL.getTypeSizeInBits(Chosen) > 64 || !isChosen(Load))
    return;
  auto *Asm = InlineAsm::get(FunctionType::get(Chosen, {Chosen}, false), "",
                             "=r,0", /*hasSideEffects=*/false);
  auto *Passed =
      CallInst::Create(Asm->getFunctionType(), Asm, {&Load}, "",
                       compat::placeOf(std::next(Load.getIterator())));
  Passed->setDoesNotThrow();
  Passed->setDoesNotAccessMemory();
  Passed->setDebugLoc(Load.getDebugLoc());
  Load.replaceUsesWithIf(Passed,
                         [&](const Use &U) { return U.getUser() != Passed; });
}

//===----------------------------------------------------------------------===//
// Calls of the C library
//===----------------------------------------------------------------------===//

/// Functions of the C library that access memory and that code generation can
/// expand in place.
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
    return true;
  default:
    return false;
  }
}

} // namespace

void preventReordering(ArrayRef<Instruction *> Reads, AAResults &AA) {
  for (Instruction *I : Reads)
    preventReorderingOf(*I, AA);
}

void preventSinking(ArrayRef<Instruction *> Reads) {
  SmallPtrSet<const Instruction *, 32> All(Reads.begin(), Reads.end());
  SmallSetVector<BasicBlock *, 16> Blocks;
  for (Instruction *Read : Reads)
    Blocks.insert(Read->getParent());
  for (BasicBlock *Block : Blocks) // one barrier serves all of its reads
    if (mayBeSunk(*Block, All))
      insertBarrier(*Block->getTerminator());
  for (Instruction *Read : Reads)
    if (auto *Load = dyn_cast<LoadInst>(Read))
      preventConditionalLoad(*Load);
}

void preventParameterStoreRemoval(Function &F) {
  unsigned InRegisters = target::parametersInRegisters(F);
  if (InRegisters == F.arg_size())
    return;
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Store = dyn_cast<StoreInst>(&I))
      if (auto *Parameter =
              dyn_cast<Argument>(Store->getValueOperand()->stripPointerCasts()))
        if (Parameter->getArgNo() >= InRegisters &&
            isa<AllocaInst>(
                Store->getPointerOperand()->stripInBoundsConstantOffsets()))
          Stores.push_back(Store);
  for (StoreInst *Store : Stores) {
    // The freeze becomes no instruction, and hides the local variable from code
    // generation.
    auto *Hidden = new FreezeInst(Store->getPointerOperand(), "",
                                  compat::placeOf(Store->getIterator()));
    Hidden->setDebugLoc(Store->getDebugLoc());
    Store->setOperand(StoreInst::getPointerOperandIndex(), Hidden);
  }
}

bool mayBeExpanded(const CallBase &Call, const TargetLibraryInfo &TLI) {
  LibFunc Known;
  return TLI.getLibFunc(Call, Known) && isExpandedByCodegen(Known);
}

void preventCallExpansion(Function &F, const TargetLibraryInfo &TLI) {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && mayBeExpanded(*Call, TLI))
      Call->addFnAttr(Attribute::NoBuiltin);
}

void dropMemoryPromises(Function &F) {
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

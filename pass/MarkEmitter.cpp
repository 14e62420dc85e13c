//===- MarkEmitter.cpp - How a mark is made -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MarkEmitter.h"

#include "CallStubs.h"
#include "Diagnostics.h"
#include "LlvmCompat.h"
#include "PassOptions.h"
#include "Sites.h"
#include "Splitting.h"
#include "target/Target.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <numeric>
#include <string>

using namespace llvm;

namespace pagetide {

MarkEmitter::MarkEmitter(Function &F, const PassOptions &Options,
                         SiteTable &Sites, bool KeepsIndices,
                         GlobalVariable *On)
    : F(F), M(*F.getParent()), Options(Options), Sites(Sites),
      Builder(F.getContext(), ConstantFolder(),
              IRBuilderCallbackInserter([](Instruction *I) {
                if (I->mayReadOrWriteMemory())
                  I->setMetadata(LLVMContext::MD_nosanitize,
                                 MDNode::get(I->getContext(), {}));
              })),
      On(On), KeepsIndices(KeepsIndices) {}

void MarkEmitter::emit(const MarkStep &Step) {
  if (Step.Segment != Segment) {
    const BasicBlock *Here = Step.Before->getParent();
    if (!KeepsIndices || Here != Block) {
      Indices.clear();
      Shadows.clear();
    }
    Segment = Step.Segment;
    Block = Here;
  }
  startAt(*Step.Before);
  if (Options.marksSites() && Step.Kind != MarkStepKind::CheckBegin) {
    Instruction *Made = Step.What.At ? Step.What.At : Step.Site;
    Site = Sites.idOf(Made ? *Made : *Step.Before);
  }
  if (On && (Step.Kind == MarkStepKind::Byte ||
             Step.Kind == MarkStepKind::ReturnAddress))
    startIfOn(*Step.Before);
  switch (Step.Kind) {
  case MarkStepKind::Byte:
    emitByte(Step);
    break;
  case MarkStepKind::Index:
    indexFor(Step);
    break;
  case MarkStepKind::Shaped:
    if (On)
      emitCalls(Step.What, /*IsCheck=*/false); // which also test
    else
      emitShaped(Step.What);
    break;
  case MarkStepKind::Long: {
    const Access &A = Step.What;
    Value *Start = A.Address;
    if (A.Offset)
      Start = Builder.CreatePtrAdd(Start, Builder.getInt64(A.Offset));
    markRange(Start, Builder.getInt64(A.Bytes), A.Kind);
    break;
  }
  case MarkStepKind::Transfer:
    emitTransfer(*Step.Before);
    break;
  case MarkStepKind::ReturnAddress:
    markByte(target::ReturnAddresses::writtenTo(Builder), AccessKind::Write);
    break;
  case MarkStepKind::Call:
    emitCalls(Step.What, /*IsCheck=*/false);
    break;
  case MarkStepKind::CheckBegin:
    emitCheckBegin();
    break;
  case MarkStepKind::Check:
    emitCalls(Step.What, /*IsCheck=*/true);
    break;
  }
}

//===----------------------------------------------------------------------===//
// The mark itself: the only code that knows where the shadow is
//===----------------------------------------------------------------------===//

/// If granules have several cells, certain marks go to the even ones. That is
/// free, because an address can be scaled. In a granule's last cell, which is
/// odd, they would overwrite near marks that mean the next granule.
Value *MarkEmitter::indexOf(Value *AddressBits, bool IsNear) {
  bool IsOfPair = Options.isNear() && !IsNear;
  return Builder.CreateLShr(AddressBits, Options.cellShift() + IsOfPair);
}

Value *MarkEmitter::shadowOf(Value *Index, unsigned Cell, bool IsNear) {
  static_assert(abi::cells_per_index(abi::Layout::kRw) == 2 &&
                abi::cells_per_index(abi::Layout::kAccess) == 1 &&
                abi::cells_per_index(abi::Layout::kWrite) == 1);
  unsigned Kinds = abi::cells_per_index(Options.Layout);
  Value *CellNumber = Index;
  if (Options.isNear() && !IsNear) // times two, or four
    CellNumber = Builder.CreateShl(Index, Log2_32(2 * Kinds), "",
                                   /*HasNUW=*/true);
  else if (Options.marksSites())
    CellNumber = Builder.CreateShl(
        Index, Log2_32(abi::cell_bytes(Options.Layout) * Kinds), "",
        /*HasNUW=*/true);
  // Twice the index as a sum, not as a shift. Instruction selection would merge
  // the shift with the one that made the index. It would then need a mask and
  // an addition, while the sum is a part of the address.
  else if (Kinds == 2)
    CellNumber = Builder.CreateAdd(Index, Index, "", /*HasNUW=*/true);
  Value *Offset = Builder.CreateAdd(
      CellNumber, Builder.getInt64(abi::kShadowBias +
                                   Cell * abi::cell_bytes(Options.Layout)));
  return target::shadowPointer(Builder, Offset);
}

void MarkEmitter::storeMark(Value *Index, unsigned Cell, ConstantInt *Mark,
                            bool IsNear) {
  Value *Shadow = KeepsIndices ? Shadows.lookup({Index, Cell}) : nullptr;
  if (!Shadow)
    Shadow = shadowOf(Index, Cell, IsNear);
  if (KeepsIndices)
    Shadows[{Index, Cell}] = Shadow;
  Builder.CreateAlignedStore(Mark, Shadow, Align(Mark->getBitWidth() / 8),
                             /*isVolatile=*/true);
}

ConstantInt *MarkEmitter::certainMark() {
  return Options.marksSites() ? Builder.getInt32(Site)
                              : Builder.getInt8(abi::kCellMarked);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

void MarkEmitter::startAt(Instruction &Before) {
  Builder.SetInsertPoint(&Before);
  // A mark belongs to its access's line. If the access has none, a call still
  // needs a scope to be inlined later.
  if (!Before.getDebugLoc())
    if (DISubprogram *Subprogram = F.getSubprogram())
      Builder.SetCurrentDebugLocation(
          DILocation::get(F.getContext(), 0, 0, Subprogram));
}

/// Continues in a new block that runs before \p Before if \p Condition holds.
void MarkEmitter::startIf(Value *Condition, Instruction &Before,
                          MDNode *Weights) {
  DebugLoc Loc = Builder.getCurrentDebugLocation();
  BasicBlock *Head = Before.getParent();
  Instruction *Then = SplitBlockAndInsertIfThen(Condition, Before.getIterator(),
                                                /*Unreachable=*/false, Weights);
  keepAllocasInEntry(*Head, *Before.getParent());
  Builder.SetInsertPoint(Then);
  Builder.SetCurrentDebugLocation(Loc);
}

/// Continues where code before \p Before runs only while marks are on. Marks of
/// one place share the test.
void MarkEmitter::startIfOn(Instruction &Before) {
  if (BeforeIsTested != &Before) {
    Value *Byte = Builder.CreateLoad(Builder.getInt8Ty(), On,
                                     /*isVolatile=*/true);
    startIf(Builder.CreateIsNotNull(Byte), Before,
            compat::unlikelyBranchWeights(F.getContext()));
    BeforeIsTested = &Before;
    EndOfTested = &*Builder.GetInsertPoint();
    Indices.clear();
  }
  Builder.SetInsertPoint(EndOfTested);
}

Value *MarkEmitter::addressBits(Value *Pointer) {
  if (F.hasOptNone() && isa<AllocaInst>(Pointer))
    return target::addressOfLocal(Builder, *Pointer);
  return Builder.CreatePtrToInt(Pointer, Builder.getInt64Ty());
}

/// Bit I is set if lane I is accessed; at least 64 bits.
Value *MarkEmitter::laneBits(const Access &A) {
  unsigned Count = A.LaneCount;
  IntegerType *BitsTy = Builder.getIntNTy(std::max(64u, Count));

  if (auto Constant = A.Mask.constantLanes(Count)) {
    APInt Bits(BitsTy->getBitWidth(), 0);
    for (unsigned Lane : Constant->set_bits())
      Bits.setBit(Lane);
    return ConstantInt::get(BitsTy, Bits);
  }

  auto *FlagsTy = FixedVectorType::get(Builder.getInt1Ty(), Count);
  Value *Flags = nullptr;
  if (Value *Lanes = A.Mask.Lanes) {
    switch (A.Mask.Encoding) {
    case LaneEncoding::Bits:
      Flags = Lanes;
      break;
    case LaneEncoding::SignBits: {
      // A register of 64 bits that is one lane.
      auto *LanesTy = dyn_cast<FixedVectorType>(Lanes->getType());
      if (!LanesTy || LanesTy->getNumElements() < Count)
        Lanes = Builder.CreateBitCast(
            Lanes, FixedVectorType::get(Builder.getInt8Ty(), Count));
      auto *IntTy = VectorType::getInteger(cast<VectorType>(Lanes->getType()));
      Lanes = Builder.CreateBitCast(Lanes, IntTy);
      Flags = Builder.CreateICmpSLT(Lanes, Constant::getNullValue(IntTy));
      break;
    }
    case LaneEncoding::LowBits:
      Flags = Builder.CreateBitCast(
          Lanes, FixedVectorType::get(Builder.getInt1Ty(),
                                      Lanes->getType()->getIntegerBitWidth()));
      break;
    }
    if (Flags->getType() != FlagsTy) {
      SmallVector<int, 16> Low(Count);
      std::iota(Low.begin(), Low.end(), 0);
      Flags = Builder.CreateShuffleVector(Flags, Low);
    }
  }
  if (Value *Limit = A.Mask.Limit) {
    SmallVector<Constant *, 16> Numbers;
    for (unsigned Lane = 0; Lane < Count; ++Lane)
      Numbers.push_back(ConstantInt::get(Limit->getType(), Lane));
    Value *Below = Builder.CreateICmpULT(
        ConstantVector::get(Numbers), Builder.CreateVectorSplat(Count, Limit));
    Flags = Flags ? Builder.CreateAnd(Flags, Below) : Below;
  }
  return Builder.CreateZExt(
      Builder.CreateBitCast(Flags, Builder.getIntNTy(Count)), BitsTy);
}

/// The address, as bits, of a lane of an access of shape Scattered or Lanes.
Value *MarkEmitter::laneAddress(const Access &A, unsigned Lane) {
  if (A.Address->getType()->isVectorTy())
    return addressBits(Builder.CreateExtractElement(A.Address, Lane));
  Value *Base = addressBits(A.Address);
  if (A.Index) {
    Value *Index = Builder.CreateSExt(
        Builder.CreateExtractElement(A.Index, Lane), Builder.getInt64Ty());
    return Builder.CreateAdd(
        Base, Builder.CreateMul(Index, Builder.getInt64(A.Scale)));
  }
  if (A.Stride) {
    Value *Stride = Builder.CreateSExtOrTrunc(A.Stride, Builder.getInt64Ty());
    return Builder.CreateAdd(Base,
                             Builder.CreateMul(Stride, Builder.getInt64(Lane)));
  }
  return Builder.CreateAdd(Base, Builder.getInt64(Lane * A.Bytes));
}

void MarkEmitter::markByte(Value *AddressBits, AccessKind Kind) {
  Value *Index = indexOf(AddressBits);
  for (unsigned Cell : cellsOf(Kind, Options.Layout))
    storeMark(Index, Cell, certainMark());
}

/// Calls the runtime's function \p Name, or calls the runtime in place of \p
/// Name. Under a layout with sites, calls the function that takes the site too.
CallInst *MarkEmitter::callRuntime(StringRef Name, Type *Result,
                                   ArrayRef<Value *> Arguments,
                                   bool IsInPlaceOfName) {
  StringRef Suffix = Options.marksSites() ? "_at" : "";
  SmallVector<Value *, 5> Passed(Arguments);
  if (Options.marksSites())
    Passed.push_back(Builder.getInt32(Site));
  SmallVector<Type *, 5> Types;
  for (Value *Argument : Passed)
    Types.push_back(Argument->getType());
  auto *T = FunctionType::get(Result, Types, /*isVarArg=*/false);
  CallInst *Call = Builder.CreateCall(
      IsInPlaceOfName ? FunctionCallee(callStub(M, Name, Suffix, T))
                      : M.getOrInsertFunction((Name + Suffix).str(), T),
      Passed);
  Call->setDoesNotThrow();
  return Call;
}

/// Calls the runtime's function \p Name for \p Bytes bytes at \p Pointer.
void MarkEmitter::callForRange(StringRef Name, Value *Pointer, Value *Bytes) {
  callRuntime(
      Name, Builder.getVoidTy(),
      {Pointer, Builder.CreateZExtOrTrunc(Bytes, Builder.getInt64Ty())});
}

/// Marks \p Bytes bytes at \p Pointer, by the runtime.
void MarkEmitter::markRange(Value *Pointer, Value *Bytes, AccessKind Kind) {
  for (unsigned Cell : cellsOf(Kind, Options.Layout))
    callForRange(Cell == abi::write_cell(Options.Layout) && writes(Kind)
                     ? "__pagetide_mark_write"
                     : "__pagetide_mark_read",
                 Pointer, Bytes);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value *MarkEmitter::indexFor(const MarkStep &Step) {
  Value *&Index = Indices[{Step.Address, {Step.Offset, Step.IsNear ? 1u : 0u}}];
  // Without optimisation each value that lives on takes a place on the stack.
  if (!Index || F.hasOptNone()) {
    Value *Bits = addressBits(Step.Address);
    if (Step.Offset)
      Bits = Builder.CreateAdd(Bits, Builder.getInt64(Step.Offset));
    Index = indexOf(Bits, Step.IsNear);
  }
  return Index;
}

void MarkEmitter::emitByte(const MarkStep &Step) {
  Value *Index = indexFor(Step);
  ConstantInt *Mark =
      Step.IsNear ? Builder.getInt8(abi::kCellNear) : certainMark();
  unsigned Cell = Step.Cell;
  if (Step.IsPair) { // the cells are neighbours, and say the same
    Cell = abi::read_cell(abi::Layout::kRw);
    static_assert(abi::write_cell(abi::Layout::kRw) ==
                  abi::read_cell(abi::Layout::kRw) + 1);
    auto Value = static_cast<uint16_t>(Mark->getZExtValue());
    Mark = Builder.getInt16(Value << 8 | Value);
  }
  storeMark(Index, Cell, Mark, Step.IsNear);
}

void MarkEmitter::emitShaped(const Access &A) {
  switch (A.Shape) {
  case AccessShape::Fixed:
    llvm_unreachable("accesses of shape Fixed are planned byte by byte");
  case AccessShape::Range:
    markRange(A.Address, A.Length, A.Kind);
    break;
  case AccessShape::Lanes:
    emitLanes(A);
    break;
  case AccessShape::Packed:
    emitPacked(A);
    break;
  case AccessShape::Scattered:
    emitEachLane(A);
    break;
  }
}

/// Adjacent lanes. If all of them together span at most one granule's size, the
/// granules of the first and the last enabled lane are those of all.
void MarkEmitter::emitLanes(const Access &A) {
  uint64_t TotalBytes = A.LaneCount * A.Bytes;
  if (TotalBytes > Options.granuleBytes()) {
    emitEachLane(A);
    return;
  }
  Value *Bits = laneBits(A);
  startIf(Builder.CreateIsNotNull(Bits), *A.At);
  Value *Base = addressBits(A.Address);
  if (A.Alignment.value() >= TotalBytes && !Options.DistrustAlignment) {
    markByte(Base, A.Kind);
    return;
  }
  auto Count = [&](Intrinsic::ID Id) {
    Value *Zeros = Builder.CreateBinaryIntrinsic(Id, Bits, Builder.getTrue());
    return Builder.CreateZExtOrTrunc(Zeros, Builder.getInt64Ty());
  };
  Value *LaneBytes = Builder.getInt64(A.Bytes);
  Value *First = Count(Intrinsic::cttz);
  Value *End =
      Builder.CreateSub(Builder.getInt64(Bits->getType()->getIntegerBitWidth()),
                        Count(Intrinsic::ctlz));
  markByte(Builder.CreateAdd(Base, Builder.CreateMul(First, LaneBytes)),
           A.Kind);
  markByte(Builder.CreateSub(
               Builder.CreateAdd(Base, Builder.CreateMul(End, LaneBytes)),
               Builder.getInt64(1)),
           A.Kind);
}

/// Lanes at any addresses, each under its own condition.
void MarkEmitter::emitEachLane(const Access &A) {
  Value *Bits = laneBits(A);
  uint64_t Alignment = A.Shape == AccessShape::Scattered
                           ? A.Alignment.value()
                           : MinAlign(A.Alignment.value(), A.Bytes);
  for (unsigned Lane = 0; Lane < A.LaneCount; ++Lane) {
    startAt(*A.At);
    APInt Bit =
        APInt::getOneBitSet(Bits->getType()->getIntegerBitWidth(), Lane);
    if (auto *Known = dyn_cast<ConstantInt>(Bits)) {
      if (!Known->getValue()[Lane])
        continue;
    } else {
      Value *IsEnabled = Builder.CreateIsNotNull(
          Builder.CreateAnd(Bits, ConstantInt::get(Bits->getType(), Bit)));
      startIf(IsEnabled, *A.At);
    }
    Value *First = laneAddress(A, Lane);
    markByte(First, A.Kind);
    Value *Length =
        A.Length ? Builder.CreateZExtOrTrunc(A.Length, Builder.getInt64Ty())
                 : Builder.getInt64(A.Bytes);
    if (A.Length || Alignment < A.Bytes || Options.DistrustAlignment)
      markByte(Builder.CreateSub(Builder.CreateAdd(First, Length),
                                 Builder.getInt64(1)),
               A.Kind);
  }
}

/// As many adjacent elements as lanes are enabled.
void MarkEmitter::emitPacked(const Access &A) {
  Value *Bits = laneBits(A);
  Value *Elements = Builder.CreateZExtOrTrunc(
      Builder.CreateUnaryIntrinsic(Intrinsic::ctpop, Bits),
      Builder.getInt64Ty());
  Value *Bytes = Builder.CreateMul(Elements, Builder.getInt64(A.Bytes));
  if (A.LaneCount * A.Bytes > Options.granuleBytes()) {
    markRange(A.Address, Bytes, A.Kind);
    return;
  }
  startIf(Builder.CreateIsNotNull(Bits), *A.At);
  Value *Base = addressBits(A.Address);
  markByte(Base, A.Kind);
  markByte(
      Builder.CreateSub(Builder.CreateAdd(Base, Bytes), Builder.getInt64(1)),
      A.Kind);
}

/// Whether a sanitizer, which runs later, puts functions of its own in place of
/// memcpy and the like. They check what the runtime's functions would not.
static bool hasOwnTransfers(const Function &F) {
  return any_of(compat::Sanitizers,
                [&](auto Kind) { return F.hasFnAttribute(Kind); });
}

/// Leaves the transfer where it is, for a sanitizer, and marks before it. Long
/// ones are divided, so that each part soon follows its marks.
void MarkEmitter::emitSanitizedTransfer(MemIntrinsic &I) {
  auto *Copy = dyn_cast<MemTransferInst>(&I);
  Value *Dest = I.getRawDest();
  Value *Source = Copy ? Copy->getRawSource() : nullptr;
  Value *Bytes = Builder.CreateZExtOrTrunc(I.getLength(), Builder.getInt64Ty());
  auto MarkBoth = [&](Value *To, Value *From, Value *Length) {
    if (From)
      markRange(From, Length, AccessKind::Read);
    markRange(To, Length, AccessKind::Write);
  };
  auto *Known = dyn_cast<ConstantInt>(Bytes);
  if (Known && Known->getZExtValue() <= abi::kRangeStep) {
    MarkBoth(Dest, Source, Bytes);
    return;
  }
  Value *Step = Builder.getInt64(abi::kRangeStep);
  // The loop runs at least once.
  Value *Last =
      Builder.CreateUDiv(Builder.CreateBinaryIntrinsic(
                             Intrinsic::usub_sat, Bytes, Builder.getInt64(1)),
                         Step);
  // A move to the end of what it moves begins with the last part.
  Value *IsBackward = nullptr;
  if (isa<MemMoveInst>(I))
    IsBackward = Builder.CreateICmpULT(
        Builder.CreateSub(addressBits(Dest), addressBits(Source)), Bytes);
  Value *Count = Builder.CreateAdd(Last, Builder.getInt64(1));
  BasicBlock *Head = I.getParent();
  DebugLoc Loc = Builder.getCurrentDebugLocation();
  auto [Body, Number] = compat::splitForLoop(Count, I);
  keepAllocasInEntry(*Head, *I.getParent());
  Builder.SetInsertPoint(Body);
  Builder.SetCurrentDebugLocation(Loc);
  if (IsBackward)
    Number = Builder.CreateSelect(IsBackward, Builder.CreateSub(Last, Number),
                                  Number);
  Value *Begin = Builder.CreateMul(Number, Step);
  Value *Length = Builder.CreateBinaryIntrinsic(
      Intrinsic::umin, Builder.CreateSub(Bytes, Begin), Step);
  Value *To = Builder.CreatePtrAdd(Dest, Begin);
  Value *From = Source ? Builder.CreatePtrAdd(Source, Begin) : nullptr;
  MarkBoth(To, From, Length);
  Value *Given = Builder.CreateZExtOrTrunc(Length, I.getLength()->getType());
  auto *Part = cast<MemIntrinsic>(I.clone());
  Part->insertBefore(Body->getIterator());
  Part->setDest(To);
  Part->setDestAlignment(
      commonAlignment(I.getDestAlign().valueOrOne(), abi::kRangeStep));
  Part->setLength(Given);
  if (Copy) {
    auto *PartOfCopy = cast<MemTransferInst>(Part);
    PartOfCopy->setSource(From);
    PartOfCopy->setSourceAlignment(
        commonAlignment(Copy->getSourceAlign().valueOrOne(), abi::kRangeStep));
  }
  I.eraseFromParent();
}

void MarkEmitter::emitTransfer(Instruction &Transfer) {
  auto &I = cast<MemIntrinsic>(Transfer);
  if (hasOwnTransfers(F)) {
    emitSanitizedTransfer(I);
    return;
  }
  PointerType *PtrTy = Builder.getPtrTy();
  Value *Bytes = Builder.CreateZExtOrTrunc(I.getLength(), Builder.getInt64Ty());

  auto *Set = dyn_cast<MemSetInst>(&I);
  StringRef Name = isa<MemMoveInst>(I) ? "memmove" : Set ? "memset" : "memcpy";
  Value *From = Set ? Builder.CreateZExt(Set->getValue(), Builder.getInt32Ty())
                    : cast<MemTransferInst>(I).getRawSource();
  CallInst *Call = callRuntime(Name, PtrTy, {I.getRawDest(), From, Bytes},
                               /*IsInPlaceOfName=*/true);
  Call->setTailCallKind(I.getTailCallKind());
  I.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Calls for finding faults
//===----------------------------------------------------------------------===//

void MarkEmitter::emitCheckBegin() {
  CallInst *Call = Builder.CreateCall(
      M.getOrInsertFunction("__pagetide_check_begin", Builder.getInt64Ty()));
  Call->setDoesNotThrow();
  if (!CheckBegin)
    CheckBegin = new AllocaInst(Builder.getInt64Ty(), 0, "pagetide.begin",
                                compat::placeOf(F.getEntryBlock().begin()));
  Builder.CreateStore(Call, CheckBegin);
}

/// Function and source line of \p I, for a message.
static std::string describePlace(const Instruction &I) {
  std::string Text = nameInSource(*I.getFunction()).str();
  if (const DebugLoc &Loc = I.getDebugLoc())
    Text +=
        (" (" + Loc->getFilename() + ":" + Twine(Loc.getLine()) + ")").str();
  return Text;
}

/// One call for each run of bytes that \p A is known to touch.
void MarkEmitter::emitCalls(const Access &A, bool IsCheck) {
  Constant *Where = nullptr; // one text for all calls
  auto Call = [&](Value *Pointer, Value *Bytes) {
    SmallVector<Value *, 5> Arguments = {
        Pointer->getType()->isPointerTy()
            ? Pointer
            : Builder.CreateIntToPtr(Pointer, Builder.getPtrTy()),
        Builder.CreateZExtOrTrunc(Bytes, Builder.getInt64Ty()),
        Builder.getInt32(static_cast<uint32_t>(A.Kind))};
    if (!IsCheck) {
      callRuntime("__pagetide_access", Builder.getVoidTy(), Arguments);
      return;
    }
    if (!Where)
      Where =
          Builder.CreateGlobalString(describePlace(*A.At), "pagetide.where");
    Arguments.append(
        {Builder.CreateLoad(Builder.getInt64Ty(), CheckBegin), Where});
    SmallVector<Type *, 5> Types;
    for (Value *Argument : Arguments)
      Types.push_back(Argument->getType());
    Builder
        .CreateCall(M.getOrInsertFunction(
                        "__pagetide_check",
                        FunctionType::get(Builder.getVoidTy(), Types, false)),
                    Arguments)
        ->setDoesNotThrow();
  };

  switch (A.Shape) {
  case AccessShape::Fixed:
    Call(A.Offset ? Builder.CreatePtrAdd(A.Address, Builder.getInt64(A.Offset))
                  : A.Address,
         Builder.getInt64(A.Bytes));
    return;
  case AccessShape::Range:
    Call(A.Address, A.Length);
    return;
  case AccessShape::Packed: {
    Value *Elements = Builder.CreateZExtOrTrunc(
        Builder.CreateUnaryIntrinsic(Intrinsic::ctpop, laneBits(A)),
        Builder.getInt64Ty());
    Call(A.Address, Builder.CreateMul(Elements, Builder.getInt64(A.Bytes)));
    return;
  }
  case AccessShape::Lanes:
  case AccessShape::Scattered:
    break;
  }
  Value *Bits = laneBits(A);
  for (unsigned Lane = 0; Lane < A.LaneCount; ++Lane) {
    startAt(*A.At);
    APInt Bit =
        APInt::getOneBitSet(Bits->getType()->getIntegerBitWidth(), Lane);
    startIf(Builder.CreateIsNotNull(Builder.CreateAnd(
                Bits, ConstantInt::get(Bits->getType(), Bit))),
            *A.At);
    Call(laneAddress(A, Lane), A.Length ? A.Length : Builder.getInt64(A.Bytes));
  }
}

} // namespace pagetide

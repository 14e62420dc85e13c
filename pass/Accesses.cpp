//===- Accesses.cpp - What touches memory, and which bytes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Accesses.h"

#include "LlvmCompat.h"
#include "PassOptions.h"
#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace pagetide {

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

std::optional<SmallBitVector>
LaneMask::constantLanes(unsigned LaneCount) const {
  SmallBitVector Happens(LaneCount, true);
  if (Limit) {
    auto *Constant = dyn_cast<ConstantInt>(Limit);
    if (!Constant)
      return std::nullopt;
    uint64_t Count = Constant->getValue().getLimitedValue(LaneCount);
    Happens.reset(Count, LaneCount);
  }
  if (!Lanes)
    return Happens;

  if (Encoding == LaneEncoding::LowBits) {
    auto *Bits = dyn_cast<ConstantInt>(Lanes);
    if (!Bits)
      return std::nullopt;
    for (unsigned Lane = 0; Lane < LaneCount; ++Lane)
      if (!Bits->getValue()[Lane])
        Happens.reset(Lane);
    return Happens;
  }

  auto *Vector = dyn_cast<Constant>(Lanes);
  if (!Vector || !Vector->getType()->isVectorTy())
    return std::nullopt;
  for (unsigned Lane = 0; Lane < LaneCount; ++Lane) {
    const Constant *Element = Vector->getAggregateElement(Lane);
    bool Enabled = false;
    if (auto *Int = dyn_cast_or_null<ConstantInt>(Element))
      Enabled = Int->getValue().isNegative();
    else if (auto *Float = dyn_cast_or_null<ConstantFP>(Element))
      Enabled = Float->getValue().isNegative();
    else if (!isa_and_nonnull<UndefValue>(Element))
      return std::nullopt;
    if (!Enabled)
      Happens.reset(Lane);
  }
  return Happens;
}

void appendFixed(Instruction &At, Value *Pointer, uint64_t Bytes,
                 Align Alignment, AccessKind Kind, AccessList &List,
                 int64_t Offset) {
  if (Bytes == 0)
    return;
  Access A;
  A.At = &At;
  A.Kind = Kind;
  A.Shape = AccessShape::Fixed;
  A.Address = Pointer;
  A.Offset = Offset;
  A.Bytes = Bytes;
  A.Alignment = Alignment;
  List.push_back(A);
}

void appendLanes(Access Lanes, AccessList &List) {
  auto Constant = Lanes.Mask.constantLanes(Lanes.LaneCount);
  if (!Constant) {
    List.push_back(Lanes);
    return;
  }
  if (Constant->none())
    return;
  if (Lanes.Shape == AccessShape::Scattered) {
    List.push_back(Lanes);
    return;
  }
  if (Lanes.Shape == AccessShape::Packed) {
    appendFixed(*Lanes.At, Lanes.Address, Constant->count() * Lanes.Bytes,
                Lanes.Alignment, Lanes.Kind, List);
    return;
  }
  for (int First = Constant->find_first(); First != -1;) {
    int End = Constant->find_next_unset(First);
    if (End == -1)
      End = Lanes.LaneCount;
    int64_t Offset = First * Lanes.Bytes;
    appendFixed(*Lanes.At, Lanes.Address, (End - First) * Lanes.Bytes,
                commonAlignment(Lanes.Alignment, Offset), Lanes.Kind, List,
                Offset);
    First = Constant->find_next(End - 1);
  }
}

namespace {

//===----------------------------------------------------------------------===//
// What is excluded
//===----------------------------------------------------------------------===//

bool isRelativeToShadowBase(const Value &Pointer) {
  return Pointer.getType()->isPtrOrPtrVectorTy() &&
         target::pointerKind(Pointer) == target::PointerKind::FromShadowBase;
}

/// Whether marks can be made for the address \p Pointer.
bool isMarkedAddress(const Value *Pointer) {
  return Pointer->getType()->isPtrOrPtrVectorTy() &&
         !isRelativeToShadowBase(*Pointer) && !isa<UndefValue>(Pointer) &&
         !Pointer->isSwiftError();
}

bool isConstantGlobal(const Value *Pointer) {
  if (!Pointer->getType()->isPointerTy())
    return false; // the addresses of a gather
  SmallVector<const Value *> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return all_of(Objects, [](const Value *Object) {
    auto *Global = dyn_cast<GlobalVariable>(Object);
    return Global && Global->isConstant();
  });
}

/// What of \p A must be marked: all of it, only its write, or nothing.
std::optional<AccessKind> kindThatCounts(const Access &A,
                                         const PassOptions &Options) {
  if (!isMarkedAddress(A.Address))
    return std::nullopt;
  if (!reads(A.Kind))
    return A.Kind;
  bool ExcludesRead = !Options.marksReads() ||
                      (Options.SkipConstants && isConstantGlobal(A.Address));
  if (!ExcludesRead)
    return A.Kind;
  if (writes(A.Kind))
    return AccessKind::Write;
  return std::nullopt;
}

/// Drops what \p Options excludes from the accesses after the first \p Old.
void dropExcluded(const PassOptions &Options, AccessList &List, size_t Old) {
  size_t Kept = Old;
  for (size_t I = Old; I < List.size(); ++I)
    if (auto Kind = kindThatCounts(List[I], Options)) {
      List[I].Kind = *Kind;
      List[Kept++] = List[I];
    }
  List.truncate(Kept);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

struct Piece {
  uint64_t Offset;
  uint64_t Bytes;
};

/// The bytes of a value of type \p T in memory, without padding, which is
/// neither loaded nor stored. Adjacent pieces are joined.
void appendPieces(Type *T, uint64_t Offset, const DataLayout &DL,
                  SmallVectorImpl<Piece> &Pieces) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(Struct);
    for (auto [Index, Field] : enumerate(Struct->elements()))
      appendPieces(Field, Offset + Layout->getElementOffset(Index), DL, Pieces);
    return;
  }
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    Type *Element = Array->getElementType();
    uint64_t Step = DL.getTypeAllocSize(Element);
    // Adjacent elements are one piece.
    if (!Element->isAggregateType() && DL.getTypeStoreSize(Element) == Step) {
      if (uint64_t Bytes = Array->getNumElements() * Step)
        Pieces.push_back({Offset, Bytes});
      return;
    }
    for (uint64_t I = 0; I < Array->getNumElements(); ++I)
      appendPieces(Element, Offset + I * Step, DL, Pieces);
    return;
  }
  uint64_t Bytes = DL.getTypeStoreSize(T).getFixedValue();
  if (Bytes == 0)
    return;
  if (!Pieces.empty() && Pieces.back().Offset + Pieces.back().Bytes == Offset)
    Pieces.back().Bytes += Bytes;
  else
    Pieces.push_back({Offset, Bytes});
}

/// The type does not say how many: it is a scalable vector.
constexpr uint64_t UnknownBytes = ~uint64_t(0);

/// Appends an access to a value of type \p T at \p Pointer.
void appendTyped(Instruction &At, Value *Pointer, Type *T, Align Alignment,
                 AccessKind Kind, AccessList &List) {
  if (!T->isSized() || T->isScalableTy()) {
    appendFixed(At, Pointer, UnknownBytes, Alignment, Kind, List);
    return;
  }
  SmallVector<Piece> Pieces;
  appendPieces(T, 0, At.getModule()->getDataLayout(), Pieces);
  for (const Piece &P : Pieces)
    appendFixed(At, Pointer, P.Bytes, commonAlignment(Alignment, P.Offset),
                Kind, List, P.Offset);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The memory operands of inline assembly.
Undescribed collectAsm(CallBase &Call, AccessList &List) {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  unsigned Argument = 0;
  bool NamesMemory = false, TakesPointer = false, ClobbersMemory = false;
  for (const InlineAsm::ConstraintInfo &Constraint : Asm->ParseConstraints()) {
    if (Constraint.Type == InlineAsm::isClobber)
      ClobbersMemory |= is_contained(Constraint.Codes, "{memory}");
    bool IsOutput = Constraint.Type == InlineAsm::isOutput;
    bool HasArgument = Constraint.Type == InlineAsm::isInput ||
                       (IsOutput && Constraint.isIndirect);
    if (!HasArgument)
      continue;
    // An indirect operand is memory even if its constraint names a register:
    // then the compiler moves it there and back.
    if (Constraint.isIndirect)
      if (Type *T = Call.getParamElementType(Argument))
        appendTyped(Call, Call.getArgOperand(Argument), T, Align(1),
                    IsOutput ? AccessKind::Write : AccessKind::Read, List);
    NamesMemory |= Constraint.isIndirect;
    TakesPointer |= isMarkedAddress(Call.getArgOperand(Argument));
    ++Argument;
  }
  // An empty template only keeps the compiler from moving things.
  return TakesPointer && ClobbersMemory && !NamesMemory &&
                 !Asm->getAsmString().empty()
             ? Undescribed::ByAsm
             : Undescribed::Nothing;
}

/// Arguments passed by value: the call copies them, so it reads them.
void collectByval(CallBase &Call, AccessList &List) {
  const DataLayout &DL = Call.getModule()->getDataLayout();
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.isByValArgument(I))
      appendFixed(Call, Call.getArgOperand(I),
                  DL.getTypeAllocSize(Call.getParamByValType(I)),
                  Call.getParamAlign(I).valueOrOne(), AccessKind::Read, List);
}

/// One side of llvm.memcpy and the like.
void appendTransferSide(AnyMemIntrinsic &I, Value *Pointer,
                        MaybeAlign Alignment, AccessKind Kind,
                        AccessList &List) {
  if (auto *Length = dyn_cast<ConstantInt>(I.getLength())) {
    appendFixed(I, Pointer, Length->getZExtValue(), Alignment.valueOrOne(),
                Kind, List);
    return;
  }
  Access A;
  A.At = &I;
  A.Kind = Kind;
  A.Shape = AccessShape::Range;
  A.Address = Pointer;
  A.Length = I.getLength();
  A.Alignment = Alignment.valueOrOne();
  List.push_back(A);
}

void collectTransfer(AnyMemIntrinsic &I, AccessList &List) {
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
    appendTransferSide(I, Copy->getRawSource(), Copy->getSourceAlign(),
                       AccessKind::Read, List);
  appendTransferSide(I, I.getRawDest(), I.getDestAlign(), AccessKind::Write,
                     List);
}

/// Whether an intrinsic that is in no table may touch memory through a pointer
/// argument.
bool mayTouchArguments(const IntrinsicInst &I) {
  if (!I.mayReadOrWriteMemory() || I.onlyAccessesInaccessibleMemory())
    return false;
  for (unsigned Index = 0; Index < I.arg_size(); ++Index)
    if (isMarkedAddress(I.getArgOperand(Index)) &&
        !I.paramHasAttr(Index, Attribute::ReadNone))
      return true;
  return false;
}

constexpr int None = -1;
constexpr int Result = -2;    ///< the type is that of the result
constexpr int OfAddress = -3; ///< the alignment is an attribute of the address

/// An intrinsic of every target that accesses memory by lanes, and which of its
/// operands say what.
struct VectorOperands {
  Intrinsic::ID Id;
  AccessShape Shape;
  AccessKind Kind;
  int Address, Type, Mask, Limit, Alignment, Stride;
};

using enum AccessShape;
using enum AccessKind;

// pointer, alignment, mask, passed through; value, pointer, ...
constexpr bool AlignsFirst = compat::MasksFollowAlignment;
constexpr int LoadAlignment = AlignsFirst ? 1 : OfAddress;
constexpr int LoadMask = AlignsFirst ? 2 : 1;
constexpr int StoreAlignment = AlignsFirst ? 2 : OfAddress;
constexpr int StoreMask = AlignsFirst ? 3 : 2;

constexpr VectorOperands VectorTable[] = {
    {Intrinsic::masked_load, Lanes, Read, 0, Result, LoadMask, None,
     LoadAlignment, None},
    {Intrinsic::masked_store, Lanes, Write, 1, 0, StoreMask, None,
     StoreAlignment, None},
    {Intrinsic::masked_gather, Scattered, Read, 0, Result, LoadMask, None,
     LoadAlignment, None},
    {Intrinsic::masked_scatter, Scattered, Write, 1, 0, StoreMask, None,
     StoreAlignment, None},
    // pointer, mask, passed through; value, pointer, mask
    {Intrinsic::masked_expandload, Packed, Read, 0, Result, 1, None, OfAddress,
     None},
    {Intrinsic::masked_compressstore, Packed, Write, 1, 0, 2, None, OfAddress,
     None},
    // pointer, mask, length; value, pointer, ...
    {Intrinsic::vp_load, Lanes, Read, 0, Result, 1, 2, OfAddress, None},
    {Intrinsic::vp_store, Lanes, Write, 1, 0, 2, 3, OfAddress, None},
    {Intrinsic::vp_gather, Scattered, Read, 0, Result, 1, 2, OfAddress, None},
    {Intrinsic::vp_scatter, Scattered, Write, 1, 0, 2, 3, OfAddress, None},
    // pointer, stride, mask, length; value, pointer, ...
    {Intrinsic::experimental_vp_strided_load, Scattered, Read, 0, Result, 2, 3,
     None, 1},
    {Intrinsic::experimental_vp_strided_store, Scattered, Write, 1, 0, 3, 4,
     None, 2},
    // pointers, one value for all of them, mask
    {compat::VectorHistogram, Scattered, ReadWrite, 0, 1, 2, None, None, None},
};

/// False if \p I is in no row, or if the elements are not whole bytes: what
/// these are in memory depends on the target.
bool collectVector(IntrinsicInst &I, AccessList &List) {
  const auto *Row = find_if(VectorTable, [&](const VectorOperands &Operands) {
    return Operands.Id == I.getIntrinsicID();
  });
  if (Row == std::end(VectorTable))
    return false;
  auto Operand = [&](int Index) {
    return Index < 0 ? nullptr : I.getArgOperand(Index);
  };
  Access A;
  A.At = &I;
  A.Kind = Row->Kind;
  A.Shape = Row->Shape;
  A.Address = Operand(Row->Address);
  A.Mask.Lanes = Operand(Row->Mask);
  A.Mask.Limit = Operand(Row->Limit);
  A.Stride = Operand(Row->Stride);
  MaybeAlign Alignment;
  if (Row->Alignment == OfAddress)
    Alignment = I.getParamAlign(Row->Address);
  else if (auto *Given = cast_or_null<ConstantInt>(Operand(Row->Alignment)))
    Alignment = Given->getMaybeAlignValue();
  A.Alignment = Alignment.valueOrOne();

  Type *T = Row->Type == Result ? I.getType() : Operand(Row->Type)->getType();
  if (!T->isVectorTy())
    T = VectorType::get(
        T, cast<VectorType>(A.Address->getType())->getElementCount());
  auto *VectorTy = dyn_cast<FixedVectorType>(T);
  const DataLayout &DL = I.getModule()->getDataLayout();
  if (!VectorTy || !DL.typeSizeEqualsStoreSize(VectorTy->getElementType()))
    return false;
  A.Bytes = DL.getTypeStoreSize(VectorTy->getElementType());
  A.LaneCount = VectorTy->getNumElements();
  appendLanes(A, List);
  return true;
}

/// These take pointers and do not access what they point to, or they call other
/// code, which has marks of its own.
constexpr Intrinsic::ID Untouching[] = {
    Intrinsic::adjust_trampoline,
    Intrinsic::asan_check_memaccess,
    Intrinsic::call_preallocated_arg,
    Intrinsic::clear_cache,
    Intrinsic::eh_return_i32,
    Intrinsic::eh_return_i64,
    Intrinsic::eh_sjlj_functioncontext,
    Intrinsic::experimental_gc_statepoint,
    compat::Patchpoint,
    Intrinsic::experimental_patchpoint_void,
    Intrinsic::gcroot,
    Intrinsic::icall_branch_funnel,
    Intrinsic::invariant_end,
    Intrinsic::invariant_start,
    Intrinsic::lifetime_end,
    Intrinsic::lifetime_start,
    Intrinsic::localescape,
    Intrinsic::prefetch,
    Intrinsic::stackprotector,
    Intrinsic::stackrestore,
    Intrinsic::vaend,
    Intrinsic::xray_customevent,
    Intrinsic::xray_typedevent,
};

/// Intrinsics of every target. False if \p I is in no table.
bool collectGenericIntrinsic(IntrinsicInst &I, AccessList &List) {
  if (auto *Transfer = dyn_cast<AnyMemIntrinsic>(&I)) {
    collectTransfer(*Transfer, List);
    return true;
  }
  if (collectVector(I, List) || is_contained(Untouching, I.getIntrinsicID()))
    return true;
  bool IsRead = I.getIntrinsicID() == Intrinsic::gcread;   // object, location
  if (!IsRead && I.getIntrinsicID() != Intrinsic::gcwrite) // value, object, ...
    return false;
  appendFixed(I, I.getArgOperand(IsRead ? 1 : 2), 8, Align(1),
              IsRead ? AccessKind::Read : AccessKind::Write, List);
  return true;
}

/// No interceptor can wrap setjmp, because it would have returned before the
/// jump. We know what glibc writes: the registers, whether a mask was saved,
/// and the part of the mask that Linux has.
void collectSetjmp(CallBase &Call, AccessList &List) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Call.arg_empty() ||
      !Call.getArgOperand(0)->getType()->isPointerTy())
    return;
  const StringRef Name = Callee->getName();
  const bool TakesMask = Name == "__sigsetjmp" || Name == "sigsetjmp";
  if (!TakesMask && Name != "setjmp" && Name != "_setjmp")
    return;
  constexpr uint64_t MaskBytes = 8;
  Value *Buffer = Call.getArgOperand(0);
  appendFixed(Call, Buffer, target::LibcJumpBuffer.RegisterBytes, Align(8),
              AccessKind::Write, List);
  bool SavesMask = Name == "setjmp";
  if (TakesMask && Call.arg_size() > 1)
    if (auto *Wanted = dyn_cast<ConstantInt>(Call.getArgOperand(1)))
      SavesMask = !Wanted->isZero();
  if (!SavesMask)
    return;
  appendFixed(Call, Buffer, MaskBytes, Align(8), AccessKind::Write, List,
              target::LibcJumpBuffer.MaskOffset);
}

Undescribed collectCall(CallBase &Call, AccessList &List) {
  if (Call.isInlineAsm())
    return collectAsm(Call, List);
  if (auto *I = dyn_cast<IntrinsicInst>(&Call)) {
    size_t Old = List.size();
    if (collectGenericIntrinsic(*I, List) || target::collectAccesses(*I, List))
      return Undescribed::Nothing;
    List.truncate(Old);
    return mayTouchArguments(*I) ? Undescribed::ByIntrinsic
                                 : Undescribed::Nothing;
  }
  collectByval(Call, List);
  collectSetjmp(Call, List);
  return Undescribed::Nothing;
}

} // namespace

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

Undescribed collectAccesses(Instruction &I, const PassOptions &Options,
                            AccessList &List) {
  // A compiler pass (this one too) made it for its own use.
  if (I.hasMetadata(LLVMContext::MD_nosanitize))
    return Undescribed::Nothing;

  Undescribed Rest = Undescribed::Nothing;

  size_t Old = List.size();
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    appendTyped(I, Load->getPointerOperand(), Load->getType(), Load->getAlign(),
                AccessKind::Read, List);
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    appendTyped(I, Store->getPointerOperand(),
                Store->getValueOperand()->getType(), Store->getAlign(),
                AccessKind::Write, List);
  } else if (auto *Update = dyn_cast<AtomicRMWInst>(&I)) {
    appendTyped(I, Update->getPointerOperand(),
                Update->getValOperand()->getType(), Update->getAlign(),
                AccessKind::ReadWrite, List);
  } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
    // It counts as written even if the comparison fails: then the processor
    // writes the old value back.
    appendTyped(I, Exchange->getPointerOperand(),
                Exchange->getNewValOperand()->getType(), Exchange->getAlign(),
                AccessKind::ReadWrite, List);
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    Rest = collectCall(*Call, List);
  }
  if (any_of(drop_begin(List, Old), [](const Access &A) {
        return isRelativeToShadowBase(*A.Address);
      }))
    Rest = Undescribed::ByShadowBase;
  dropExcluded(Options, List, Old);
  auto HasUnknownBytes = [](const Access &A) {
    return A.Bytes == UnknownBytes && !isa<AnyMemIntrinsic>(A.At);
  };
  auto Unknown =
      std::remove_if(List.begin() + Old, List.end(), HasUnknownBytes);
  if (Unknown != List.end())
    Rest = Undescribed::BySize;
  List.erase(Unknown, List.end());
  return Rest;
}

} // namespace pagetide

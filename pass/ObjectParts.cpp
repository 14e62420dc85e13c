//===- ObjectParts.cpp - Accesses that stay in one granule ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectParts.h"
#include "LlvmCompat.h"
#include "PlainAddresses.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>

using namespace llvm;

namespace pagetide {
namespace {

/// Limits the compile time of deep sums.
constexpr unsigned MaxDepth = 4;
constexpr unsigned AddressBits = 64;

/// No alignment is raised further: padding is memory too.
constexpr uint64_t MaxRaisedAlignment = 4096;

/// The values that \p V can have.
ConstantRange rangeOf(const Value &V, const DataLayout &DL, unsigned Depth) {
  ConstantRange Range = ConstantRange::fromKnownBits(computeKnownBits(&V, DL),
                                                     /*IsSigned=*/false);
  Range = Range.intersectWith(computeConstantRange(&V, /*ForSigned=*/false));
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth == MaxDepth)
    return Range;
  auto Of = [&](unsigned Operand) {
    return rangeOf(*I->getOperand(Operand), DL, Depth + 1);
  };
  if (isa<ZExtInst, SExtInst, TruncInst>(I))
    return Range.intersectWith(
        Of(0).castOp(cast<CastInst>(I)->getOpcode(), Range.getBitWidth()));
  if (auto *Operation = dyn_cast<BinaryOperator>(I))
    return Range.intersectWith(Of(0).binaryOp(Operation->getOpcode(), Of(1)));
  if (isa<SelectInst>(I))
    return Range.intersectWith(Of(1).unionWith(Of(2)));
  return Range;
}

/// Bytes of an object, by their offsets from it.
struct Reach {
  Value *Object;
  int64_t Low, High;
  bool IsFixed; ///< the offset is a constant
};

/// Adds \p Scale times the values of \p Index to \p Within. False if they are
/// not within \p Most.
bool addIndex(const Value &Index, const APInt &Scale, int64_t Most,
              const DataLayout &DL, Reach &Within) {
  if (Index.getType()->getIntegerBitWidth() > AddressBits)
    return false;
  ConstantRange Range = rangeOf(Index, DL, 0);
  if (Range.isFullSet() || Range.isEmptySet())
    return false;
  int64_t Factor = Scale.getSExtValue();
  int64_t Least = Range.getSignedMin().getSExtValue(),
          Greatest = Range.getSignedMax().getSExtValue();
  if (Factor < 0)
    std::swap(Least, Greatest);
  if (std::abs(Factor) > Most || Least < -Most || Least > Most ||
      Greatest < -Most || Greatest > Most)
    return false;
  Within.Low += Factor * Least;
  Within.High += Factor * Greatest;
  Within.IsFixed = false;
  return true;
}

/// Which bytes of which object \p A may touch, if its indices limit that to
/// about \p Most bytes.
std::optional<Reach> reachOf(const Access &A, const DataLayout &DL,
                             int64_t Most) {
  if (!isa<GlobalVariable, AllocaInst>(getUnderlyingObject(A.Address)))
    return std::nullopt;
  Reach Result = {A.Address, 0, 0, true};
  APInt Constant(AddressBits, A.Offset, /*isSigned=*/true);
  while (true) {
    Result.Object = Result.Object->stripAndAccumulateConstantOffsets(
        DL, Constant, /*AllowNonInbounds=*/true);
    auto *Steps = dyn_cast<GEPOperator>(Result.Object);
    if (!Steps)
      break;
    compat::VariableOffsets Variable;
    if (Steps->getType()->isVectorTy() ||
        DL.getIndexTypeSizeInBits(Steps->getType()) != AddressBits ||
        !Steps->collectOffset(DL, AddressBits, Variable, Constant))
      return std::nullopt;
    for (const auto &[Index, Scale] : Variable)
      if (!addIndex(*Index, Scale, Most, DL, Result))
        return std::nullopt;
    Result.Object = Steps->getPointerOperand();
  }
  if (!isa<GlobalVariable, AllocaInst>(Result.Object) ||
      !isPlain(*Result.Object) || Constant.getSignificantBits() > 48)
    return std::nullopt;
  Result.Low += Constant.getSExtValue();
  Result.High += Constant.getSExtValue() + static_cast<int64_t>(A.Bytes) - 1;
  if (Result.Low < 0)
    return std::nullopt;
  return Result;
}

/// The bytes to which an object must be aligned so that all of \p Within lies
/// in one of its parts of that size.
uint64_t neededAlignment(const Reach &Within) {
  return PowerOf2Ceil(1 + (static_cast<uint64_t>(Within.Low) ^
                           static_cast<uint64_t>(Within.High)));
}

/// The linker may merge strings, and then cares little for their alignment.
bool isMergeable(const GlobalVariable &Object) {
  auto *Data = dyn_cast<ConstantDataSequential>(Object.getInitializer());
  return Object.isConstant() && Object.hasGlobalUnnamedAddr() && Data &&
         Data->getElementType()->isIntegerTy() &&
         Data->getElementAsAPInt(Data->getNumElements() - 1).isZero();
}

/// Aligns \p Object to \p Bytes if it is this module's to align, and at least
/// half as large. Variables stay where they are natively: who shares a page
/// with whom is part of what page sets say.
void raiseAlignment(Value &Object, uint64_t Bytes, const DataLayout &DL) {
  auto *Global = dyn_cast<GlobalVariable>(&Object);
  if (!Global || !Global->isConstant() || !Global->canIncreaseAlignment() ||
      Global->hasComdat() || Global->hasSection() || isMergeable(*Global) ||
      Bytes > MaxRaisedAlignment ||
      Bytes > PowerOf2Ceil(DL.getTypeAllocSize(Global->getValueType())))
    return;
  if (Global->getPointerAlignment(DL).value() < Bytes)
    Global->setAlignment(Align(Bytes));
}

} // namespace

void findObjectParts(MutableArrayRef<Access> Accesses, const DataLayout &DL,
                     uint64_t GranuleBytes) {
  SmallVector<std::pair<Access *, Reach>, 8> Limited;
  auto Most = static_cast<int64_t>(GranuleBytes);
  for (Access &A : Accesses) {
    if (A.Shape != AccessShape::Fixed || !A.Bytes)
      continue;
    std::optional<Reach> Within = reachOf(A, DL, Most);
    if (!Within || Within->IsFixed || neededAlignment(*Within) > GranuleBytes)
      continue;
    raiseAlignment(*Within->Object, neededAlignment(*Within), DL);
    Limited.push_back({&A, *Within});
  }
  // The alignment is the same for all from here on. So are the parts.
  for (auto [A, Within] : Limited) {
    uint64_t Bytes =
        std::min(Within.Object->getPointerAlignment(DL).value(), GranuleBytes);
    if (neededAlignment(Within) <= Bytes)
      A->Part = {Within.Object,
                 static_cast<int64_t>(alignDown(Within.Low, Bytes)), Bytes};
  }
}

} // namespace pagetide

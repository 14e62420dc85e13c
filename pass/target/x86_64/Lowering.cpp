//===- Lowering.cpp - What becomes instructions of x86 --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LlvmCompat.h"
#include "target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace pagetide::target {
namespace {

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// Kinds of values and of elements of vectors. Code generation splits vectors
/// as often as needed, so only their elements count.
enum ValueKind : unsigned {
  KindWord = 1 << 0,       ///< integers of up to 64 bits, and pointers
  KindDoubleWord = 1 << 1, ///< integers of up to 128 bits
  KindLong = 1 << 2,       ///< integers of up to MaxLongBits
  KindFloat = 1 << 3,      ///< float, double
  KindX87 = 1 << 4,        ///< x86_fp80
  KindHalf = 1 << 5,       ///< half
  KindOther = 1 << 6,      ///< all else: fp128, bfloat, longer integers, ...

  Words = KindWord,
  Integers = KindWord | KindDoubleWord,
  Floats = KindWord | KindFloat,
  AllFloats = KindWord | KindFloat | KindX87,
  Anything = ~0U
};

constexpr unsigned MaxLongBits = 256;

/// What copies are expanded in place even without optimisation.
constexpr uint64_t MaxBytesCopiedAtO0 = 32;

unsigned kindsOf(const Type *T) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    unsigned Kinds = 0;
    for (const Type *Field : Struct->elements())
      Kinds |= kindsOf(Field);
    return Kinds;
  }
  if (auto *Array = dyn_cast<ArrayType>(T))
    return kindsOf(Array->getElementType());
  if (auto *Vector = dyn_cast<FixedVectorType>(T))
    T = Vector->getElementType();
  if (T->isPointerTy())
    return KindWord;
  if (T->isIntegerTy()) {
    unsigned Bits = T->getIntegerBitWidth();
    return Bits <= 64            ? KindWord
           : Bits <= 128         ? KindDoubleWord
           : Bits <= MaxLongBits ? KindLong
                                 : KindOther;
  }
  if (T->isFloatTy() || T->isDoubleTy())
    return KindFloat;
  if (T->isX86_FP80Ty())
    return KindX87;
  return T->isHalfTy() ? KindHalf : KindOther;
}

/// Kinds of the result of \p I and of its operands.
unsigned kindsIn(const Instruction &I) {
  unsigned Kinds = I.getType()->isVoidTy() ? 0 : kindsOf(I.getType());
  for (const Value *Operand : I.operands())
    if (Operand->getType()->isFirstClassType() && !isa<Function>(Operand) &&
        !Operand->getType()->isMetadataTy())
      Kinds |= kindsOf(Operand->getType());
  return Kinds;
}

//===----------------------------------------------------------------------===//
// Features of the processor
//===----------------------------------------------------------------------===//

enum Feature : unsigned {
  HasSse = 1 << 0, ///< SSE2
  HasX87 = 1 << 1,
  HasSse41 = 1 << 2,
  HasFma = 1 << 3,
  HasF16c = 1 << 4,
};

struct FeatureRule {
  Feature Has;
  StringRef Name;  ///< must be listed, unless it is empty
  StringRef Needs; ///< none of these may be turned off
};

constexpr FeatureRule FeatureRules[] = {
    {HasSse, "", "sse sse2"},
    {HasX87, "", "x87"},
    {HasSse41, "sse4.1", "sse sse2 sse3 ssse3 sse4.1"},
    {HasFma, "fma", "sse sse2 sse3 ssse3 sse4.1 sse4.2 avx fma"},
    {HasF16c, "f16c", "sse sse2 sse3 ssse3 sse4.1 sse4.2 avx f16c"},
};

/// Whether code for the processor of \p F surely moves 16 bytes at once where
/// they are not aligned. What it is tuned for decides. No processor with AVX is
/// slow at that.
bool movesUnaligned(const Function &F) {
  auto NameOf = [&](StringRef Kind) {
    return F.getFnAttribute(Kind).getValueAsString();
  };
  StringRef Processor = NameOf("target-cpu"), Tuned = NameOf("tune-cpu");
  if (Tuned.empty())
    Tuned = Processor;
  return Tuned.empty() || Tuned == "generic" || Tuned.starts_with("x86-64") ||
         (Tuned == Processor && NameOf("target-features").contains("+avx,"));
}

/// Clang lists every feature in each function. What only follows from a
/// processor's name is not looked up: marks are then a few more.
unsigned featuresOf(const Function &F) {
  SmallVector<StringRef, 64> Listed;
  F.getFnAttribute("target-features").getValueAsString().split(Listed, ',');
  if (F.getFnAttribute("use-soft-float").getValueAsBool() ||
      is_contained(Listed, "+soft-float"))
    return 0;
  auto IsListed = [&](char Sign, StringRef Name) {
    return any_of(Listed, [&](StringRef Entry) {
      return Entry.consume_front(StringRef(&Sign, 1)) && Entry == Name;
    });
  };
  unsigned Features = 0;
  for (const FeatureRule &Rule : FeatureRules) {
    SmallVector<StringRef, 8> Needs;
    Rule.Needs.split(Needs, ' ');
    if ((Rule.Name.empty() || IsListed('+', Rule.Name)) &&
        none_of(Needs, [&](StringRef Name) { return IsListed('-', Name); }))
      Features |= Rule.Has;
  }
  return Features;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

/// An instruction or intrinsic that is expanded in place if its result and
/// operands are of certain kinds, and if the processor has certain features.
struct ExpandedForm {
  unsigned What; ///< an opcode or the number of an intrinsic
  unsigned Kinds;
  unsigned Features = 0;
};

constexpr ExpandedForm ExpandedInstructions[] = {
    {Instruction::AddrSpaceCast, Anything},
    {Instruction::BitCast, Anything},
    {Instruction::Br, Anything},
    {Instruction::ExtractElement, Anything},
    {Instruction::ExtractValue, Anything},
    // Of a bfloat it is a conversion.
    {Instruction::Freeze, Integers | KindLong | AllFloats | KindHalf},
    {Instruction::GetElementPtr, Anything},
    {Instruction::IndirectBr, Anything},
    {Instruction::InsertElement, Anything},
    {Instruction::InsertValue, Anything},
    {Instruction::IntToPtr, Anything},
    {Instruction::LandingPad, Anything},
    {Instruction::Load, Anything},
    {Instruction::PHI, Anything},
    {Instruction::PtrToInt, Anything},
    {Instruction::Ret, Anything},
    {Instruction::Select, Anything},
    {Instruction::ShuffleVector, Anything},
    {Instruction::Store, Anything},
    {Instruction::Switch, Anything},
    {Instruction::Unreachable, Anything},

    {Instruction::Add, Integers | KindLong},
    {Instruction::AShr, Integers | KindLong},
    {Instruction::And, Integers | KindLong},
    {Instruction::ICmp, Integers | KindLong},
    {Instruction::LShr, Integers | KindLong},
    {Instruction::Mul, Integers},
    {Instruction::Or, Integers | KindLong},
    {Instruction::SDiv, Words},
    {Instruction::SExt, Integers | KindLong},
    {Instruction::SRem, Words},
    {Instruction::Shl, Integers | KindLong},
    {Instruction::Sub, Integers | KindLong},
    {Instruction::Trunc, Integers | KindLong},
    {Instruction::UDiv, Words},
    {Instruction::URem, Words},
    {Instruction::Xor, Integers | KindLong},
    {Instruction::ZExt, Integers | KindLong},

    {Instruction::FAdd, AllFloats},
    {Instruction::FCmp, AllFloats},
    {Instruction::FDiv, AllFloats},
    {Instruction::FMul, AllFloats},
    {Instruction::FNeg, AllFloats},
    {Instruction::FPExt, AllFloats},
    {Instruction::FPExt, KindHalf | KindFloat, HasF16c},
    {Instruction::FPToSI, AllFloats},
    {Instruction::FPToUI, AllFloats},
    {Instruction::FPTrunc, AllFloats},
    {Instruction::FSub, AllFloats},
    {Instruction::SIToFP, AllFloats},
    {Instruction::UIToFP, AllFloats},
};

constexpr ExpandedForm ExpandedIntrinsics[] = {
    // No code, or a constant.
    {Intrinsic::annotation, Anything},
    {Intrinsic::assume, Anything},
    {Intrinsic::dbg_assign, Anything},
    {Intrinsic::dbg_declare, Anything},
    {Intrinsic::dbg_label, Anything},
    {Intrinsic::dbg_value, Anything},
    {Intrinsic::donothing, Anything},
    {Intrinsic::expect, Anything},
    {Intrinsic::expect_with_probability, Anything},
    {Intrinsic::experimental_noalias_scope_decl, Anything},
    {Intrinsic::invariant_end, Anything},
    {Intrinsic::invariant_start, Anything},
    {Intrinsic::launder_invariant_group, Anything},
    {Intrinsic::lifetime_end, Anything},
    {Intrinsic::lifetime_start, Anything},
    {Intrinsic::objectsize, Anything},
    {Intrinsic::pseudoprobe, Anything},
    {Intrinsic::ptr_annotation, Anything},
    {Intrinsic::sideeffect, Anything},
    {Intrinsic::ssa_copy, Anything},
    {Intrinsic::strip_invariant_group, Anything},
    {Intrinsic::var_annotation, Anything},

    // Moves.
    {Intrinsic::addressofreturnaddress, Anything},
    {Intrinsic::frameaddress, Anything},
    {Intrinsic::ptrmask, Anything},
    {Intrinsic::returnaddress, Anything},
    {Intrinsic::thread_pointer, Anything},
    {compat::VectorDeinterleave, Anything},
    {Intrinsic::vector_extract, Anything},
    {Intrinsic::vector_insert, Anything},
    {compat::VectorInterleave, Anything},
    {compat::VectorReverse, Anything},
    {compat::VectorSplices[0], Anything},
    {std::end(compat::VectorSplices)[-1], Anything},

    // Integers.
    {Intrinsic::abs, Integers},
    {Intrinsic::bitreverse, Integers},
    {Intrinsic::bswap, Integers},
    {Intrinsic::ctlz, Integers},
    {Intrinsic::ctpop, Integers},
    {Intrinsic::cttz, Integers},
    {Intrinsic::fshl, Words}, // longer ones may divide
    {Intrinsic::fshr, Words},
    {Intrinsic::sadd_sat, Integers},
    {Intrinsic::sadd_with_overflow, Integers},
    {compat::SignedCompare, Integers},
    {Intrinsic::smax, Integers},
    {Intrinsic::smin, Integers},
    {Intrinsic::smul_with_overflow, Words},
    {Intrinsic::sshl_sat, Integers},
    {Intrinsic::ssub_sat, Integers},
    {Intrinsic::ssub_with_overflow, Integers},
    {Intrinsic::uadd_sat, Integers},
    {Intrinsic::uadd_with_overflow, Integers},
    {compat::UnsignedCompare, Integers},
    {Intrinsic::umax, Integers},
    {Intrinsic::umin, Integers},
    {Intrinsic::umul_with_overflow, Words},
    {Intrinsic::ushl_sat, Integers},
    {Intrinsic::usub_sat, Integers},
    {Intrinsic::usub_with_overflow, Integers},
    {Intrinsic::vector_reduce_add, Integers},
    {Intrinsic::vector_reduce_and, Integers},
    {Intrinsic::vector_reduce_mul, Integers},
    {Intrinsic::vector_reduce_or, Integers},
    {Intrinsic::vector_reduce_smax, Integers},
    {Intrinsic::vector_reduce_smin, Integers},
    {Intrinsic::vector_reduce_umax, Integers},
    {Intrinsic::vector_reduce_umin, Integers},
    {Intrinsic::vector_reduce_xor, Integers},

    // Numbers with a point.
    {Intrinsic::ceil, Floats, HasSse41},
    {Intrinsic::copysign, AllFloats},
    {Intrinsic::fabs, AllFloats},
    {Intrinsic::floor, Floats, HasSse41},
    {Intrinsic::fma, Floats, HasFma},
    {Intrinsic::fmuladd, AllFloats},
    {Intrinsic::fptosi_sat, Floats},
    {Intrinsic::fptoui_sat, Floats},
    {Intrinsic::is_fpclass, AllFloats},
    {Intrinsic::maximum, Floats},
    {Intrinsic::maxnum, Floats},
    {Intrinsic::minimum, Floats},
    {Intrinsic::minnum, Floats},
    {Intrinsic::nearbyint, Floats, HasSse41},
    {Intrinsic::rint, Floats, HasSse41},
    {Intrinsic::round, Floats, HasSse41},
    {Intrinsic::roundeven, Floats, HasSse41},
    {Intrinsic::sqrt, AllFloats},
    {Intrinsic::trunc, Floats, HasSse41},
    {Intrinsic::vector_reduce_fadd, Floats},
    {Intrinsic::vector_reduce_fmax, Floats},
    {Intrinsic::vector_reduce_fmaximum, Floats},
    {Intrinsic::vector_reduce_fmin, Floats},
    {Intrinsic::vector_reduce_fminimum, Floats},
    {Intrinsic::vector_reduce_fmul, Floats},
};

/// The instruction that an intrinsic is which obeys the floating-point
/// environment; 0 for all others.
unsigned unconstrainedOpcode(Intrinsic::ID Id) {
  switch (Id) {
#define DAG_INSTRUCTION(Name, Arguments, Rounds, Constrained, Node)            \
  case Intrinsic::Constrained:                                                 \
    return Instruction::Name;
#define FUNCTION(Name, Arguments, Rounds, Constrained)
#define DAG_FUNCTION(Name, Arguments, Rounds, Constrained, Node)
#include "llvm/IR/ConstrainedOps.def"
  default:
    return 0;
  }
}

/// Whether \p Forms has a form that \p Features allow.
bool isListed(ArrayRef<ExpandedForm> Forms, unsigned What, unsigned Kinds,
              unsigned Features) {
  bool CanCompute =
      (!(Kinds & (KindFloat | KindHalf)) || (Features & HasSse)) &&
      (!(Kinds & KindX87) || (Features & HasX87));
  return any_of(Forms, [&](const ExpandedForm &Form) {
    return Form.What == What && !(Kinds & ~Form.Kinds) &&
           (Form.Kinds == Anything || CanCompute) &&
           (Features & Form.Features) == Form.Features;
  });
}

} // namespace

Lowering::Lowering(const Function &F, bool IsUnoptimized)
    : Features(featuresOf(F)), IsUnoptimized(IsUnoptimized || F.hasOptNone()),
      IsForSize(F.hasOptSize()), MovesUnaligned(movesUnaligned(F)) {
  if (F.hasFnAttribute(Attribute::NoImplicitFloat))
    Features &= ~HasSse; // for transfers; there are no numbers with a point
}

bool Lowering::isInPlace(unsigned Opcode, const Instruction &I) const {
  return isListed(ExpandedInstructions, Opcode, kindsIn(I), Features);
}

bool Lowering::isOperationInPlace(const Instruction &I) const {
  return isInPlace(I.getOpcode(), I);
}

bool Lowering::isIntrinsicInPlace(const IntrinsicInst &I) const {
  if (auto *Transfer = dyn_cast<AnyMemIntrinsic>(&I))
    return isTransferInPlace(*Transfer);
  if (I.mayReadOrWriteMemory() && !I.isLifetimeStartOrEnd() &&
      !I.onlyAccessesInaccessibleMemory())
    return false;
  Intrinsic::ID Id = I.getIntrinsicID();
  if (unsigned Opcode = unconstrainedOpcode(Id))
    return isInPlace(Opcode, I);
  // Each intrinsic of the processor is one of its instructions.
  return I.getCalledFunction()->getName().starts_with("llvm.x86.") ||
         isListed(ExpandedIntrinsics, Id, kindsIn(I), Features);
}

/// Code generation moves a constant number of bytes by as many stores as it
/// deems cheap. Without optimisation it expands only short copies.
bool Lowering::isTransferInPlace(const AnyMemIntrinsic &I) const {
  auto *Length = dyn_cast<ConstantInt>(I.getLength());
  if (!Length || I.isAtomic())
    return false;
  uint64_t Bytes = Length->getLimitedValue();
  bool IsCopy = I.getIntrinsicID() == Intrinsic::memcpy;
  if (IsUnoptimized)
    return Bytes <= (IsCopy ? MaxBytesCopiedAtO0 : 0);
  Align Alignment = I.getDestAlign().valueOrOne();
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
    Alignment = std::min(Alignment, Copy->getSourceAlign().valueOrOne());
  uint64_t PerStore =
      (Features & HasSse) && (MovesUnaligned || Alignment >= 16) ? 16 : 8;
  // What is left over is stored by powers of two.
  uint64_t Stores = Bytes / PerStore + popcount(Bytes % PerStore);
  bool IsSet = isa<AnyMemSetInst>(I);
  return Stores <= (IsForSize ? (IsSet ? 8 : 4) : (IsSet ? 16 : 8));
}

} // namespace pagetide::target

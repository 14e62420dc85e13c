//===- LlvmCompat.h - What differs between versions of LLVM -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass is built once per LLVM, from the same files. This is the only one
// that asks which LLVM it is. A new LLVM changes this file, and the list in
// cmake/UseLLVM.cmake.

#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#if LLVM_VERSION_MAJOR != 18 && LLVM_VERSION_MAJOR != 19 &&                    \
    LLVM_VERSION_MAJOR != 22
#error "The pass is for LLVM 18, 19 and 22."
#endif

namespace pagetide::compat {

/// What a module calls its target: a string, and in LLVM 22 a Triple.
using TargetName =
    std::decay_t<decltype(std::declval<llvm::Module>().getTargetTriple())>;

inline std::string tripleOf(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple()).str();
}

/// Masked accesses had an operand for the alignment, before the mask. In LLVM
/// 22 the alignment is an attribute of the address.
constexpr bool MasksFollowAlignment = LLVM_VERSION_MAJOR < 22;

/// What llvm.vector.splice is called. LLVM 22 has one for each direction.
constexpr llvm::Intrinsic::ID VectorSplices[] = {
#if LLVM_VERSION_MAJOR < 19
    llvm::Intrinsic::experimental_vector_splice,
#elif LLVM_VERSION_MAJOR < 22
    llvm::Intrinsic::vector_splice,
#else
    llvm::Intrinsic::vector_splice_left,
    llvm::Intrinsic::vector_splice_right,
#endif
};

/// Intrinsics that have other names in LLVM 18. Those that it lacks are nothing
/// that a program has.
#if LLVM_VERSION_MAJOR < 19
constexpr llvm::Intrinsic::ID
    Patchpoint = llvm::Intrinsic::experimental_patchpoint_i64,
    SignedCompare = llvm::Intrinsic::not_intrinsic,
    UnsignedCompare = llvm::Intrinsic::not_intrinsic,
    VectorDeinterleave = llvm::Intrinsic::experimental_vector_deinterleave2,
    VectorHistogram = llvm::Intrinsic::not_intrinsic,
    VectorInterleave = llvm::Intrinsic::experimental_vector_interleave2,
    VectorReverse = llvm::Intrinsic::experimental_vector_reverse;
#else
constexpr llvm::Intrinsic::ID
    Patchpoint = llvm::Intrinsic::experimental_patchpoint,
    SignedCompare = llvm::Intrinsic::scmp,
    UnsignedCompare = llvm::Intrinsic::ucmp,
    VectorDeinterleave = llvm::Intrinsic::vector_deinterleave2,
    VectorHistogram = llvm::Intrinsic::experimental_vector_histogram_add,
    VectorInterleave = llvm::Intrinsic::vector_interleave2,
    VectorReverse = llvm::Intrinsic::vector_reverse;
#endif

/// Sanitizers that run after the pass, and have functions of their own for
/// memcpy and the like.
constexpr llvm::Attribute::AttrKind Sanitizers[] = {
    llvm::Attribute::SanitizeAddress,
    llvm::Attribute::SanitizeHWAddress,
    llvm::Attribute::SanitizeThread,
    llvm::Attribute::SanitizeMemory,
#if LLVM_VERSION_MAJOR >= 19
    llvm::Attribute::SanitizeNumericalStability,
#endif
};

/// Where constructors of instructions put them: before this one.
inline auto placeOf(llvm::BasicBlock::iterator Place) {
#if LLVM_VERSION_MAJOR < 19
  return &*Place;
#else
  return Place;
#endif
}

inline llvm::MDNode *unlikelyBranchWeights(llvm::LLVMContext &Context) {
#if LLVM_VERSION_MAJOR < 19
  return llvm::MDBuilder(Context).createBranchWeights(1, (1u << 20) - 1);
#else
  return llvm::MDBuilder(Context).createUnlikelyBranchWeights();
#endif
}

/// What a marker of lifetimes is about.
inline const llvm::Value *lifetimePointer(const llvm::LifetimeIntrinsic &I) {
  return I.getArgOperand(LLVM_VERSION_MAJOR < 22 ? 1 : 0);
}

/// How many bytes of it; nothing if that is unknown. LLVM 22 has no operand for
/// it: it is the whole variable.
inline std::optional<uint64_t> lifetimeBytes(const llvm::LifetimeIntrinsic &I) {
#if LLVM_VERSION_MAJOR < 22
  uint64_t Bytes =
      llvm::cast<llvm::ConstantInt>(I.getArgOperand(0))->getZExtValue();
  if (Bytes == ~uint64_t{0})
    return std::nullopt;
  return Bytes;
#else
  const auto *Local = llvm::dyn_cast<llvm::AllocaInst>(lifetimePointer(I));
  if (!Local)
    return std::nullopt;
  std::optional<llvm::TypeSize> Size =
      Local->getAllocationSize(I.getModule()->getDataLayout());
  if (!Size || Size->isScalable())
    return std::nullopt;
  return Size->getFixedValue();
#endif
}

/// The declaration of an intrinsic that is not overloaded.
inline llvm::Function *declarationOf(llvm::Module &M, llvm::Intrinsic::ID Id) {
#if LLVM_VERSION_MAJOR < 22
  return llvm::Intrinsic::getDeclaration(&M, Id);
#else
  return llvm::Intrinsic::getOrInsertDeclaration(&M, Id);
#endif
}

/// LLVM 22 has overloaded llvm.thread.pointer on the pointer's type.
inline llvm::Value *createThreadPointer(llvm::IRBuilder<> &Builder) {
#if LLVM_VERSION_MAJOR < 22
  llvm::ArrayRef<llvm::Type *> Types;
  return Builder.CreateIntrinsic(llvm::Intrinsic::thread_pointer, Types, {});
#else
  return Builder.CreateIntrinsic(llvm::Intrinsic::thread_pointer,
                                 {Builder.getPtrTy()}, {});
#endif
}

/// What GEPOperator::collectOffset collects.
#if LLVM_VERSION_MAJOR < 22
using VariableOffsets = llvm::MapVector<llvm::Value *, llvm::APInt>;
#else
using VariableOffsets = llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4>;
#endif

inline llvm::SCEVExpander
makeExpander(llvm::ScalarEvolution &SE,
             [[maybe_unused]] const llvm::DataLayout &DL, const char *Name) {
#if LLVM_VERSION_MAJOR < 22
  return llvm::SCEVExpander(SE, DL, Name);
#else
  return llvm::SCEVExpander(SE, Name);
#endif
}

/// A loop before \p Before: its body, and the number of the round.
inline auto splitForLoop(llvm::Value *End, llvm::Instruction &Before) {
#if LLVM_VERSION_MAJOR < 22
  return llvm::SplitBlockAndInsertSimpleForLoop(End, &Before);
#else
  return llvm::SplitBlockAndInsertSimpleForLoop(End, Before.getIterator());
#endif
}

} // namespace pagetide::compat

// Methods of MCTargetAsmParser.
#if LLVM_VERSION_MAJOR < 22
#define PAGETIDE_PARSE_INSTRUCTION ParseInstruction
#define PAGETIDE_MATCH_AND_EMIT MatchAndEmitInstruction
#define PAGETIDE_OVERRIDE_SINCE_22
#else
#define PAGETIDE_PARSE_INSTRUCTION parseInstruction
#define PAGETIDE_MATCH_AND_EMIT matchAndEmitInstruction
#define PAGETIDE_OVERRIDE_SINCE_22 override
#endif

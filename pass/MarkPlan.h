//===- MarkPlan.h - Which marks, and where ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says which marks cover the accesses of a function. Nothing in it knows
// how a mark looks. LoopChunks and MarkPlanner make it.
//
// Every plan obeys two rules:
//
//   - Each granule that an access touches is marked before the access. Between
//     the two is a path without calls and loops, or one chunk of a loop.
//   - A granule is marked only if an access that touches it will follow, except
//     for faults and signals.

#pragma once

#include "FunctionAccesses.h"
#include "PassOptions.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace pagetide {

class Expansion;

/// A function, and all that decides about its marks.
struct FunctionToMark {
  llvm::Function &F;
  const FunctionAccesses &Accesses;
  const Expansion &Known;
  const PassOptions &Options;
  MarkMode Mode;
};

/// What a step of a plan does.
enum class MarkStepKind : uint8_t {
  /// Mark Cell of the granule of the byte at Address + Offset.
  Byte,
  /// Compute here what the segment's steps of kind Byte at Address + Offset
  /// need.
  Index,
  /// Mark every granule of What, an access that is not of shape Fixed.
  Shaped,
  /// Mark every granule of What, an access of shape Fixed, by the runtime.
  Long,
  /// Replace Before, a transfer, by the runtime's function of that name.
  Transfer,
  /// Mark the return address that Before, a call, is about to write.
  ReturnAddress,
  /// Mark What, whatever its shape, by calls of the runtime.
  Call,
  /// Begin the segment's checks.
  CheckBegin,
  /// Check whether What, whatever its shape, is marked.
  Check,
};

/// One step of a plan.
struct MarkStep {
  MarkStepKind Kind;
  /// The step's code goes before this instruction.
  llvm::Instruction *Before;
  /// Equal for steps of one segment. Later steps of the segment, in the plan's
  /// order, can use what an earlier one computed.
  unsigned Segment;

  llvm::Value *Address = nullptr; ///< Byte, Index
  int64_t Offset = 0;             ///< Byte, Index
  unsigned Cell = 0;              ///< Byte
  bool IsNear = false; ///< Byte: stands for the bytes that follow too
  /// Byte, layout rw: mark the other cell of the granule too, by one store.
  bool IsPair = false;
  /// Byte: must be a store of its own, at this place.
  bool IsApart = false;
  /// Byte: index into MarkPlan::NearMarks, if IsNear.
  unsigned NearMark = 0;
  /// Byte: an instruction with an access that the mark stands for.
  llvm::Instruction *Site = nullptr;
  Access What = {}; ///< Shaped, Long, Call, Check

  /// A step of kind Byte.
  static MarkStep byte(llvm::Instruction &Before, unsigned Segment,
                       llvm::Instruction &Site, llvm::Value *Address,
                       int64_t Offset, unsigned Cell) {
    MarkStep Step = {
        MarkStepKind::Byte, &Before, Segment, Address, Offset, Cell};
    Step.Site = &Site;
    return Step;
  }
};

/// What else is known of a near mark.
struct NearMark {
  /// If all bytes that the mark stands for are in one granule, the offset of a
  /// byte in it, from the same address.
  std::optional<int64_t> CertainOffset;
  /// It serves accesses of later segments too.
  bool ServesOthers = false;
};

/// Counts marks of bytes whose granule has an earlier mark, by the reason why
/// that mark does not serve here.
struct RepeatedMarks {
  unsigned BehindCalls = 0; ///< or behind atomic accesses and fences
  unsigned InLoops = 0;     ///< at the beginning of a loop
  unsigned AtJoins = 0;     ///< not every path here has the mark
};

struct MarkPlan {
  /// Within a segment, in the order of the instructions that they precede.
  std::vector<MarkStep> Steps;
  std::vector<NearMark> NearMarks;
  /// Instructions with accesses that are marked as reads.
  std::vector<llvm::Instruction *> MarkedReads;
  RepeatedMarks Repeated;
  size_t Groups = 0; ///< of accesses that share marks (AccessGroups)

  /// The number of a segment that no step belongs to yet.
  unsigned nextSegment() const {
    return Steps.empty() ? 0 : Steps.back().Segment + 1;
  }

  /// If a near mark serves only accesses in one granule, makes it certain,
  /// unless that costs something. It does if marks of one address, which share
  /// its index, would then need two indices.
  void makeCertain();

  /// Lets one store mark a read and a write of one place, if both marks belong
  /// to one segment. It goes where the first of the two was.
  void pairMarks();
};

/// Which cells of an index an access of this kind marks.
llvm::SmallVector<unsigned, 2> cellsOf(AccessKind Kind, abi::Layout Layout);

} // namespace pagetide

//===- MarkPlan.h - Which marks, and where ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the accesses of a function into the marks that cover them. Everything
// that saves marks is here. Nothing here knows how a mark looks.
//
// Every plan obeys two rules:
//
//   - Each granule that an access touches is marked before the access. Between
//     the two is a path without calls and loops, or one chunk of a loop.
//   - A granule is marked only if an access that touches it will follow, except
//     for faults and signals.
//
// Loops that step through memory are marked a chunk at a time (LoopChunks.h).
// All other marks are planned by segments. A segment is a sequence of
// instructions of one block without calls, fences, and atomic or volatile
// accesses. When a segment has begun, it runs to its end. Within a segment,
// accesses at addresses of one form (AddressForms.h) differ by constants. They
// form groups that span at most one granule's size. Then all bytes of a group
// are in the granules of its first and its last byte. So two marks cover it, or
// one if alignment shows that both bytes are in one granule. What every path to
// a segment has marked is not marked again.
//
// With precision near, cells are smaller than granules. One near mark at an
// address serves all accesses within a cell's size of it: they are in its cell
// or the next one. It needs no alignment. If the mark is at the base itself,
// all fields near the base share it.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_MARKPLAN_H
#define PAGETIDE_PASS_MARKPLAN_H

#include "FunctionAccesses.h"
#include "PassOptions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
} // namespace llvm

namespace pagetide {

class Expansion;

/// What a step of a plan does.
enum class MarkStepKind : uint8_t {
  /// Mark Cell of the granule of the byte at Address + Offset.
  Byte,
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

  llvm::Value *Address = nullptr; ///< Byte
  int64_t Offset = 0;             ///< Byte
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
};

/// Which cells of an index an access of this kind marks.
llvm::SmallVector<unsigned, 2> cellsOf(AccessKind Kind, abi::Layout Layout);

/// True if marks of later accesses must not move before \p I: it may not
/// return, may take long, may become a call, or orders memory.
bool endsSegment(const llvm::Instruction &I, const Expansion &Known);

/// True if \p I is one of two loads that a select chooses from. Code generation
/// merges them into one load from the selected address, unless a mark is
/// between them.
bool isAlternative(const llvm::Instruction &I);

/// True if \p I stores what was loaded with some bits replaced. Without a mark
/// between load and store, code generation may merge the two into one narrow
/// store, which reads nothing.
bool isPartialUpdate(const llvm::Instruction &I);

/// Accesses that have been marked a chunk of iterations at a time.
struct ChunkedAccesses {
  llvm::SmallPtrSet<llvm::Instruction *, 16> Instructions;
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> Bodies; ///< of their loops
};

/// Appends to \p Plan the marks of \p Accesses of \p F, except those in \p
/// Chunked.
void planMarks(llvm::Function &F, const FunctionAccesses &Accesses,
               const Expansion &Known, const PassOptions &Options,
               MarkMode Mode, const ChunkedAccesses &Chunked, MarkPlan &Plan);

} // namespace pagetide

#endif // PAGETIDE_PASS_MARKPLAN_H

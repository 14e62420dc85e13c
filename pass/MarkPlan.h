//===- MarkPlan.h - Which marks, and where ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the accesses of a function into the marks that cover them. This is
// where marks are saved; nothing here knows how a mark looks.
//
// What every plan keeps to:
//
//   - Each granule that an access touches is marked before the access, and
//     between the two lies a path without calls and loops, or one chunk of a
//     loop.
//   - A granule is marked only where an access that touches it is sure to
//     follow, faults and signals aside.
//
// Loops that step through memory are marked a chunk at a time (LoopChunks.h).
// Everything else is planned along straight lines. A segment is a run of
// instructions of one block without calls, atomic or volatile accesses and
// fences: once begun, it is run to its end. Within a segment, accesses at
// addresses of one form (AddressForms.h), which differ by constants, form groups
// that extend over one granule's bytes at most. The granules of a group's first
// and last byte are then those of all its bytes: two marks cover it, or one where
// alignment shows both bytes in one granule. What every way to a segment has
// marked already is not marked again.
//
// With precision near, cells are smaller than granules, and one near mark at an
// address serves all accesses that reach no farther from it than a cell's bytes:
// they lie in its cell or the next one. It needs no alignment, and where it is
// made at the base itself all fields near the base share it.
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
  /// Look whether What, whatever its shape, is marked.
  Check,
};

/// One step of a plan.
struct MarkStep {
  MarkStepKind Kind;
  /// The instruction that the step's code goes before.
  llvm::Instruction *Before;
  /// Equal for steps of one segment. What a step computes is at hand for the
  /// later steps of its segment, in the plan's order.
  unsigned Segment;

  llvm::Value *Address = nullptr; ///< Byte
  int64_t Offset = 0;             ///< Byte
  unsigned Cell = 0;              ///< Byte
  bool IsNear = false;            ///< Byte: the bytes that follow are meant too
  /// Byte: index into MarkPlan::NearMarks, where IsNear.
  unsigned NearMark = 0;
  Access What = {}; ///< Shaped, Long, Call, Check
};

/// What else is known of a near mark.
struct NearMark {
  /// Offset from the same address of a byte in the granule of all that the mark
  /// was made for; nothing where these may lie in two.
  std::optional<int64_t> CertainOffset;
  /// It serves accesses of later segments as well.
  bool ServesOthers = false;
};

/// Marks of bytes whose granule was marked before, by why that mark does not
/// serve here.
struct RepeatedMarks {
  unsigned BehindCalls = 0; ///< or behind atomic accesses and fences
  unsigned InLoops = 0;     ///< at the beginning of a loop
  unsigned AtJoins = 0;     ///< not every path here has the mark
};

struct MarkPlan {
  /// Within a segment, in the order of the instructions they go before.
  std::vector<MarkStep> Steps;
  std::vector<NearMark> NearMarks;
  /// The instructions with accesses that are marked as read.
  std::vector<llvm::Instruction *> MarkedReads;
  RepeatedMarks Repeated;
};

/// Which of the cells of an index an access of this kind marks.
llvm::SmallVector<unsigned, 2> cellsOf(AccessKind Kind, abi::Layout Layout);

/// True where marks of later accesses must not be put before \p I: it may not
/// come back, may take long, or orders memory.
bool endsSegment(const llvm::Instruction &I);

/// True where \p I is one of two loads that a select chooses from. Code
/// generation makes one load of them, from the address that is chosen, unless a
/// mark stands between.
bool isAlternative(const llvm::Instruction &I);

/// True where \p I stores what it has loaded with some bits replaced. Without a
/// mark between load and store, code generation may make one narrow store of
/// the two, which reads nothing.
bool isPartialUpdate(const llvm::Instruction &I);

/// Accesses that have been marked a chunk of iterations at a time.
struct ChunkedAccesses {
  llvm::SmallPtrSet<llvm::Instruction *, 16> Instructions;
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> Bodies; ///< of their loops
};

/// Appends to \p Plan what marks \p Accesses, those of \p F, except the ones in
/// \p Chunked.
void planMarks(llvm::Function &F, const FunctionAccesses &Accesses,
               const PassOptions &Options, MarkMode Mode,
               const ChunkedAccesses &Chunked, MarkPlan &Plan);

} // namespace pagetide

#endif // PAGETIDE_PASS_MARKPLAN_H

//===- MarkPlanner.cpp - Plans the marks of a function --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MarkPlanner.h"

#include "AccessGroups.h"
#include "Expansion.h"
#include "MergedAccesses.h"
#include "PlainAddresses.h"
#include "target/Target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace pagetide {
namespace {

/// Longer accesses are marked by a call of the runtime.
constexpr uint64_t MaxInlineMarks = 8;

/// True if \p I is a call of llvm.memcpy, llvm.memmove or llvm.memset that the
/// runtime's function of that name can replace.
bool isReplaceableTransfer(const Instruction &I) {
  auto *Transfer = dyn_cast<MemIntrinsic>(&I);
  auto IsMarkedAndPlain = [](const Value *Pointer) {
    return isPlain(*Pointer) && !isa<UndefValue>(Pointer);
  };
  if (!Transfer || Transfer->isVolatile() ||
      I.hasMetadata(LLVMContext::MD_nosanitize) ||
      !IsMarkedAndPlain(Transfer->getRawDest()))
    return false;
  switch (Transfer->getIntrinsicID()) {
  case Intrinsic::memset:
    return true;
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
    return IsMarkedAndPlain(cast<MemTransferInst>(Transfer)->getRawSource());
  default: // the variants that promise not to call a function
    return false;
  }
}

/// Divides a block into segments, and plans one after the other.
class BlockPlanner {
public:
  BlockPlanner(FunctionPlan &Function, const ChunkedAccesses &Chunked,
               target::ReturnAddresses &Returns, MarkedExtents Marked,
               bool BeginsLoop)
      : Function(Function), Input(Function.Input), Options(Input.Options),
        IsChecked(Input.Mode == MarkMode::Check), Chunked(Chunked),
        Returns(Returns), Groups(Function, std::move(Marked), BeginsLoop),
        Steps(Function.Plan.nextSegment()) {}

  /// Returns what is marked at the block's end.
  MarkedExtents plan(BasicBlock &Block);

private:
  void add(Position At, ArrayRef<Access> Accesses);
  void addLong(const Access &A, Position At);
  void addChecks(Position At, ArrayRef<Access> Accesses);
  void beginChecks(Position At);

  void endSegment() {
    Groups.end(Steps);
    Steps.end(Function.Plan);
    ChecksBegun = false;
  }

  FunctionPlan &Function;
  const FunctionToMark &Input;
  const PassOptions &Options;
  const bool IsChecked;
  const ChunkedAccesses &Chunked;
  target::ReturnAddresses &Returns;
  AccessGroups Groups;
  SegmentSteps Steps;
  bool ChecksBegun = false;
};

MarkedExtents BlockPlanner::plan(BasicBlock &Block) {
  unsigned Number = 0;
  for (Instruction &I : Block) {
    Position At = {&I, ++Number};
    bool Ends = Input.Known.endsSegment(I);
    if (Ends || isAlternative(I))
      endSegment();
    if (Ends)
      Groups.forgetMarked();
    ArrayRef<Access> Accesses = Input.Accesses.of(I);
    if (isa<LoadInst>(I)) {
      Groups.noteLoad(At);
      if (IsChecked)
        beginChecks(At); // a store's mark may go before the load
    }
    if (!Chunked.Instructions.contains(&I))
      add(At, Accesses);
    else if (IsChecked)
      addChecks(At, Accesses);
    if (Options.Frames && Returns.isWrittenBy(I))
      Steps.add(MarkStepKind::ReturnAddress, At);
    if (Ends) {
      endSegment();
      Groups.forgetMarked();
    }
  }
  endSegment();
  return Groups.marked();
}

void BlockPlanner::add(Position At, ArrayRef<Access> Accesses) {
  if (Accesses.empty())
    return;
  auto IsShort = [&](const Access &A) { return isShort(A, Options); };
  if (isReplaceableTransfer(*At.I) &&
      !(Input.Known.isInPlace(*At.I) && all_of(Accesses, IsShort))) {
    // In every mode, so that programs call the runtime equally often.
    Steps.add(MarkStepKind::Transfer, At);
    return;
  }
  if (any_of(Accesses, [](const Access &A) { return reads(A.Kind); }))
    Function.Plan.MarkedReads.push_back(At.I);
  if (Input.Mode == MarkMode::Calls) {
    for (const Access &A : Accesses)
      Steps.add(MarkStepKind::Call, At, A);
    return;
  }
  if (IsChecked)
    addChecks(At, Accesses);
  for (const Access &A : Accesses) {
    if (IsShort(A))
      Groups.add(A, At);
    else if (A.Shape == AccessShape::Fixed)
      addLong(A, At);
    else
      Steps.add(MarkStepKind::Shaped, At, A);
  }
  if (auto *Store = dyn_cast<StoreInst>(At.I))
    Groups.noteStore(Store->getPointerOperand());
}

/// An access of more than a granule.
void BlockPlanner::addLong(const Access &A, Position At) {
  uint64_t GranuleBytes = Options.granuleBytes();
  if (A.Bytes > (MaxInlineMarks - 1) * GranuleBytes) {
    Steps.add(MarkStepKind::Long, At, A);
    return;
  }
  for (unsigned Cell : cellsOf(A.Kind, Options.Layout)) {
    for (uint64_t Byte = 0; Byte < A.Bytes; Byte += GranuleBytes)
      Steps.addByte(At, *A.At, A.Address, A.Offset + Byte, Cell);
    // If the first byte is not at a granule's beginning, the last byte may be
    // in one granule more.
    if (A.Alignment.value() < GranuleBytes || Options.DistrustAlignment)
      Steps.addByte(At, *A.At, A.Address, A.Offset + A.Bytes - 1, Cell);
  }
}

/// If the runtime replaces a transfer, its accesses are not checked, because
/// there is no mark before it.
void BlockPlanner::addChecks(Position At, ArrayRef<Access> Accesses) {
  beginChecks(At);
  for (const Access &A : Accesses)
    Steps.add(MarkStepKind::Check, At, A);
}

/// Marks that were made on the path to this place, or before a chunk, belong to
/// an earlier beginning of checks.
void BlockPlanner::beginChecks(Position At) {
  if (!ChecksBegun && Groups.marked().empty() &&
      !Chunked.Bodies.contains(At.I->getParent()))
    Steps.add(MarkStepKind::CheckBegin, At);
  ChecksBegun = true;
}

} // namespace

MarkPlan planMarks(const FunctionToMark &Input, ChunkedAccesses &Chunked) {
  Function &F = Input.F;
  const PassOptions &Options = Input.Options;
  const DataLayout &DL = F.getParent()->getDataLayout();
  FunctionPlan Planned = {Input, DL, AddressForms(DL, Options.AddressForms),
                          {},    0,  std::move(Chunked.Plan)};
  target::ReturnAddresses Returns(F);
  DenseMap<const BasicBlock *, MarkedExtents> AtEnd;
  auto PlanBlock = [&](BasicBlock &Block) {
    MarkedExtents Marked;
    bool IsFirst = true, BeginsLoop = false;
    for (const BasicBlock *Before : predecessors(&Block)) {
      auto Theirs = AtEnd.find(Before);
      // A predecessor has no plan yet, so a loop begins here.
      if (Theirs == AtEnd.end()) {
        Marked.clear();
        BeginsLoop = true;
        break;
      }
      if (IsFirst)
        Marked = Theirs->second;
      else
        intersect(Marked, Theirs->second);
      IsFirst = false;
    }
    AtEnd[&Block] =
        BlockPlanner(Planned, Chunked, Returns, std::move(Marked), BeginsLoop)
            .plan(Block);
  };
  for (BasicBlock *Block : ReversePostOrderTraversal(&F))
    PlanBlock(*Block);
  for (BasicBlock &Block : F)
    if (!AtEnd.contains(&Block)) // never reached
      PlanBlock(Block);
  Planned.Plan.makeCertain();
  if (Options.Layout == abi::Layout::kRw && Options.Pairs)
    Planned.Plan.pairMarks();
  return std::move(Planned.Plan);
}

} // namespace pagetide

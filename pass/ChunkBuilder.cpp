//===- ChunkBuilder.cpp - How a loop gets its chunks ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChunkBuilder.h"

#include "MergedAccesses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <utility>

using namespace llvm;

namespace pagetide {
namespace {

/// Maps values of the loop to their values in a chunk's first iteration.
using ChunkValues = DenseMap<const Value *, Value *>;

/// Whether \p I can be repeated outside the loop.
bool isAddressStep(const Instruction &I) {
  return isa<GetElementPtrInst, CastInst>(I) ||
         (isa<BinaryOperator>(I) && !I.isIntDivRem() &&
          !I.getType()->isFPOrFPVectorTy());
}

/// \p V as it is in the first iteration of a chunk. \p Known has the values of
/// the loop's phi nodes there, and remembers what was computed.
Value *materialize(Value *V, const Loop &L, ChunkValues &Known,
                   IRBuilderBase &Builder) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return V;
  if (Value *Formed = Known.lookup(I))
    return Formed;
  Instruction *Copy = I->clone();
  for (Use &Operand : Copy->operands())
    Operand.set(materialize(Operand.get(), L, Known, Builder));
  // What is true for the value inside the loop need not be true for the copy,
  // which is computed even if the original is not reached.
  Copy->dropUnknownNonDebugMetadata();
  Copy->dropPoisonGeneratingFlags();
  Builder.Insert(Copy);
  Known[I] = Copy;
  return Copy;
}

/// Makes the chunks of one loop.
class ChunkBuilder {
public:
  ChunkBuilder(const ChunkedLoop &Chunked, const FunctionToMark &Input,
               MarkPlan &Plan)
      : Chunked(Chunked), L(*Chunked.L), Input(Input), Plan(Plan),
        Builder(Input.F.getContext()),
        EndLoc(L.getLoopLatch()->getTerminator()->getDebugLoc()),
        Segment(Plan.nextSegment()) {}

  void build() {
    if (Chunked.IsOneChunk) {
      BasicBlock *Preheader = L.getLoopPreheader();
      End = Preheader->getTerminator();
      LastIteration = Chunked.BackedgesTaken;
      for (PHINode &Phi : L.getHeader()->phis())
        Known[&Phi] = Phi.getIncomingValueForBlock(Preheader);
    } else {
      split();
    }
    startAt(End);
    if (Input.Mode == MarkMode::Check)
      Plan.Steps.push_back({MarkStepKind::CheckBegin, End, Segment});
    for (const Stream &S : Chunked.Streams)
      mark(S);
    for (auto [Held, Address] : zip(Chunked.Held, HeldAddresses))
      mark(Held, Address);
  }

private:
  /// Without a line of its own, what is inserted has that of the loop's end.
  void startAt(Instruction *Before) {
    Builder.SetInsertPoint(Before);
    if (!Builder.getCurrentDebugLocation())
      Builder.SetCurrentDebugLocation(EndLoc);
  }

  void split();
  Value *iterationsInGranule(const HeldAddress &Held, Value *Address);
  void mark(const Stream &S);
  void mark(const HeldAddress &Held, Value *Address);
  Value *lastAddress(const Stream &S, Value *First);

  MarkStep &addByte(const Stream &S, Value *Address, int64_t Offset) {
    return Plan.Steps.emplace_back(MarkStep::byte(
        *End, Segment, *S.Members.front(), Address, Offset, S.Cell));
  }

  const ChunkedLoop &Chunked;
  Loop &L;
  const FunctionToMark &Input;
  MarkPlan &Plan;
  IRBuilder<> Builder;
  DebugLoc EndLoc; ///< of the loop's end
  unsigned Segment;

  Instruction *End = nullptr;     ///< the chunk's marks go before it
  Value *LastIteration = nullptr; ///< the chunk's, counted from 0
  ChunkValues Known;
  SmallVector<Value *, 4> HeldAddresses; ///< in the chunk's first iteration
  DenseMap<std::pair<Value *, int64_t>, Value *> Lasts;
};

/// Puts a second loop around the loop (see the picture in LoopChunks.h).
void ChunkBuilder::split() {
  BasicBlock *Preheader = L.getLoopPreheader(), *Header = L.getHeader();
  BasicBlock *Latch = L.getLoopLatch();
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  Function &F = *Header->getParent();
  LLVMContext &Context = F.getContext();
  auto *Chunk = BasicBlock::Create(Context, "chunk", &F, Header);
  auto *ChunkEnd =
      BasicBlock::Create(Context, "chunk.end", &F, Latch->getNextNode());
  Builder.SetInsertPoint(Chunk);
  Builder.SetCurrentDebugLocation(EndLoc);
  IntegerType *CountTy = Builder.getInt64Ty();

  for (PHINode &Phi : Header->phis()) {
    PHINode *Outer = Builder.CreatePHI(Phi.getType(), 2, Phi.getName());
    Outer->addIncoming(Phi.getIncomingValueForBlock(Preheader), Preheader);
    Outer->addIncoming(Phi.getIncomingValueForBlock(Latch), ChunkEnd);
    int FromPreheader = Phi.getBasicBlockIndex(Preheader);
    Phi.setIncomingBlock(FromPreheader, Chunk);
    Phi.setIncomingValue(FromPreheader, Outer);
    Known[&Phi] = Outer;
  }
  Preheader->getTerminator()->replaceSuccessorWith(Header, Chunk);

  PHINode *Left = nullptr;
  Value *Last = Builder.getInt64(Chunked.Limit - 1);
  if (Chunked.BackedgesTaken) {
    Left = Builder.CreatePHI(CountTy, 2, "backedges.left");
    Last = Builder.CreateBinaryIntrinsic(Intrinsic::umin, Left, Last);
  }
  for (const HeldAddress &Held : Chunked.Held) {
    // Whoever makes no such access may have no such address.
    Value *Address = Builder.CreateFreeze(
        materialize(Held.Pointer, L, Known, Builder), "held");
    HeldAddresses.push_back(Address);
    if (Held.Stride)
      Last = Builder.CreateBinaryIntrinsic(Intrinsic::umin, Last,
                                           iterationsInGranule(Held, Address));
  }
  Value *Count = Builder.CreateAdd(Last, Builder.getInt64(1), "iterations",
                                   /*HasNUW=*/true);
  End = Builder.CreateBr(Header);
  LastIteration = Last;

  // A loop that may end earlier counts behind its own test.
  BasicBlock *Counting = Latch;
  if (!Left && Branch->isConditional()) {
    Counting =
        BasicBlock::Create(Context, "chunk.count", &F, Latch->getNextNode());
    Branch->replaceSuccessorWith(Header, Counting);
    Header->replacePhiUsesWith(Latch, Counting);
    Builder.SetInsertPoint(Counting);
    Branch = Builder.CreateBr(Header);
  }
  Builder.SetInsertPoint(Header, Header->begin());
  PHINode *ToDo = Builder.CreatePHI(CountTy, 2, "iterations.left");
  Builder.SetInsertPoint(Branch);
  Value *Rest = Builder.CreateSub(ToDo, Builder.getInt64(1), "",
                                  /*HasNUW=*/true);
  ToDo->addIncoming(Count, Chunk);
  ToDo->addIncoming(Rest, Counting);
  Value *IsChunkDone = Builder.CreateICmpEQ(Rest, Builder.getInt64(0));
  Builder.CreateCondBr(IsChunkDone, ChunkEnd, Header);
  BasicBlock *Exit = nullptr;
  if (Left)
    Exit = Branch->getSuccessor(Branch->getSuccessor(0) == Header ? 1 : 0);
  Branch->eraseFromParent();
  // Code generation drops the old condition. If dead values were dropped here,
  // values that so far only the plan uses would go too.

  Builder.SetInsertPoint(ChunkEnd);
  if (!Left) {
    Builder.CreateBr(Chunk);
    return;
  }
  Value *IsDone = Builder.CreateICmpEQ(Left, Last);
  Value *LeftAfter = Builder.CreateSub(Left, Count);
  Builder.CreateCondBr(IsDone, Exit, Chunk);
  Left->addIncoming(Chunked.BackedgesTaken, Preheader);
  Left->addIncoming(LeftAfter, ChunkEnd);
  Exit->replacePhiUsesWith(Latch, ChunkEnd);
}

/// How many iterations after the first leave \p Address in its granule.
Value *ChunkBuilder::iterationsInGranule(const HeldAddress &Held,
                                         Value *Address) {
  Value *At =
      Builder.CreateAdd(Builder.CreatePtrToInt(Address, Builder.getInt64Ty()),
                        Builder.getInt64(static_cast<uint64_t>(Held.Offset)));
  if (Held.Stride > 0)
    At = Builder.CreateNot(At);
  Value *Bytes = Builder.CreateAnd(At, Input.Options.granuleBytes() - 1);
  return Builder.CreateUDiv(
      Bytes, Builder.getInt64(static_cast<uint64_t>(std::abs(Held.Stride))));
}

void ChunkBuilder::mark(const Stream &S) {
  Value *First = materialize(S.Pointer, L, Known, Builder);
  if (S.IsNear) {
    MarkStep &Step =
        addByte(S, S.Stride < 0 ? lastAddress(S, First) : First, S.Low);
    Step.IsNear = true;
    Step.NearMark = Plan.NearMarks.size();
    Plan.NearMarks.push_back({});
    return;
  }
  Value *Last = S.Stride ? lastAddress(S, First) : First;
  if (S.Stride < 0)
    std::swap(First, Last);
  addByte(S, First, S.Low);
  if (S.Stride || S.High != S.Low)
    addByte(S, Last, S.High);
}

/// The address in the chunk's last iteration. Equal ones are one value, so that
/// a read and a write of it can share a mark.
Value *ChunkBuilder::lastAddress(const Stream &S, Value *First) {
  Value *&Last = Lasts[{First, S.Stride}];
  if (!Last)
    Last = Builder.CreatePtrAdd(
        First, Builder.CreateMul(LastIteration, Builder.getInt64(S.Stride)));
  return Last;
}

void ChunkBuilder::mark(const HeldAddress &Held, Value *Address) {
  auto Add = [&](const HeldAccess &A, Instruction &Before) -> MarkStep & {
    return Plan.Steps.emplace_back(
        MarkStep::byte(Before, Segment, *A.At, Address, Held.Offset, A.Cell));
  };
  SmallVector<unsigned, 2> Marked; // cells
  for (const HeldAccess &A : Held.Accesses)
    if (A.IsFirst && !is_contained(Marked, A.Cell)) {
      Marked.push_back(A.Cell);
      Add(A, *End);
    }
  if (Marked.empty())
    Add(Held.Accesses.front(), *End).Kind = MarkStepKind::Index;
  for (const HeldAccess &A : Held.Accesses) {
    if (is_contained(Marked, A.Cell))
      continue;
    Instruction *Before = A.At;
    Instruction *Load =
        updatedLoad(*A.At, abi::records_reads(Input.Options.Layout));
    if (Load && Load->getParent() == Before->getParent())
      Before = Load;
    Add(A, *Before).IsApart = true;
  }
}

} // namespace

bool isMaterializable(Value *V, const Loop &L, unsigned &StepsLeft) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return true;
  if (isa<PHINode>(I))
    return I->getParent() == L.getHeader();
  if (!isAddressStep(*I) || !StepsLeft)
    return false;
  --StepsLeft;
  return all_of(I->operands(),
                [&](Value *Op) { return isMaterializable(Op, L, StepsLeft); });
}

void buildChunks(const ChunkedLoop &Chunked, const FunctionToMark &Input,
                 MarkPlan &Plan) {
  ChunkBuilder(Chunked, Input, Plan).build();
}

} // namespace pagetide

//===- LoopChunks.cpp - Loops marked a chunk at a time --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopChunks.h"

#include "Expansion.h"
#include "LlvmCompat.h"
#include "MergedAccesses.h"
#include "PassOptions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Debug.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <algorithm>

#define DEBUG_TYPE "pagetide"

using namespace llvm;

// NOLINTBEGIN(readability-identifier-naming): LLVM's macro declares them
ALWAYS_ENABLED_STATISTIC(NumLoopsChunked, "Loops marked a chunk at a time");
ALWAYS_ENABLED_STATISTIC(NumLoopsNotChunked, "Loops that keep their marks");
// NOLINTEND(readability-identifier-naming)

namespace pagetide {
namespace {

/// A chunk's length, in iterations and in IR instructions. Longer chunks save
/// nothing more and delay accesses.
constexpr uint64_t MaxIterations = 512;
constexpr uint64_t MaxInstructions = 40000;
/// How many accesses of a chunk may keep their own marks. Each may cause a page
/// fault, which delays the others.
constexpr uint64_t MaxOtherAccesses = 128;

/// Marking a chunk costs about as much as the marks of this many iterations. A
/// stream that would make chunks shorter keeps its own marks.
constexpr uint64_t MinIterations = 8;
/// Loops known to be shorter than this keep their marks, unless one mark serves
/// all that a stream touches.
constexpr uint64_t MinTrips = 4;

/// Instructions copied out of the loop to form one address.
constexpr unsigned MaxAddressSteps = 8;

/// How much computing a trip count may cost, in TargetTransformInfo's units.
constexpr unsigned TripCountBudget = 8;

/// Maps values of the loop to their values in a chunk's first iteration.
using ChunkValues = DenseMap<const Value *, Value *>;

/// Accesses of one kind of cell that move through memory together.
struct Stream {
  Value *Pointer; ///< of the first access; offsets are from it
  const SCEV *Address;
  int64_t Stride;    ///< bytes per iteration; 0 if it stays
  int64_t Low, High; ///< lowest and highest byte of one iteration
  unsigned Cell;
  SmallVector<Instruction *, 4> Members;
  bool IsNear = false; ///< one near mark serves all iterations of the loop

  uint64_t extent() const { return static_cast<uint64_t>(High - Low) + 1; }
};

struct ChunkedLoop {
  Loop *L;
  Value *BackedgesTaken; ///< an i64, available in the preheader
  uint64_t Limit;        ///< iterations per chunk
  bool IsOneChunk;       ///< the loop has no more iterations than that
  SmallVector<Stream, 4> Streams;
};

/// Whether \p I can be repeated outside the loop.
bool isAddressStep(const Instruction &I) {
  return isa<GetElementPtrInst, CastInst>(I) ||
         (isa<BinaryOperator>(I) && !I.isIntDivRem() &&
          !I.getType()->isFPOrFPVectorTy());
}

/// Whether \p V can be computed before the loop from the first values of its
/// phi nodes.
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
  Builder.Insert(Copy);
  Known[I] = Copy;
  return Copy;
}

/// Why a loop keeps its marks. Follows "the loop keeps its marks: ".
using Reason = const char *;

/// Null if \p L is left only at its end and everything in it returns.
Reason whyUnsuitable(const Loop &L, const Expansion &Known) {
  if (!L.isInnermost())
    return "it contains another loop";
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || L.getExitingBlock() != Latch ||
      !isa<BranchInst>(Latch->getTerminator()))
    return "it has an exit that is not at its end";
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (!I.isTerminator() && Known.endsSegment(I))
        return isa<CallBase>(I) ? "it contains a call"
                                : "it contains an atomic or volatile access, "
                                  "or a fence";
  return nullptr;
}

/// The remarks about loops: which are marked in chunks, and why others are not.
class LoopRemarks {
public:
  LoopRemarks(const FunctionAccesses &InFunction,
              OptimizationRemarkEmitter &Remarks)
      : InFunction(InFunction), Remarks(Remarks) {}

  void keepsMarks(const Loop &L, Reason Why) {
    LLVM_DEBUG(dbgs() << "loop at " << L.getName() << ": " << Why << '\n');
    ++NumLoopsNotChunked;
    Remarks.emit([&] {
      return OptimizationRemarkMissed(DEBUG_TYPE, "LoopKeepsMarks",
                                      L.getStartLoc(), L.getHeader())
             << "the loop keeps its marks: " << ore::NV("Reason", Why);
    });
  }

  void isChunked(const ChunkedLoop &Chunked) {
    ++NumLoopsChunked;
    Remarks.emit([&] {
      const Loop &L = *Chunked.L;
      size_t Covered = 0;
      for (const Stream &S : Chunked.Streams)
        Covered += S.Members.size();
      OptimizationRemark Remark(DEBUG_TYPE, "LoopChunked", L.getStartLoc(),
                                L.getHeader());
      Remark << "the loop is marked a chunk at a time: iterations of a chunk "
             << ore::NV("Iterations", Chunked.Limit) << " at most, accesses "
             << ore::NV("Accesses", Covered) << ", streams "
             << ore::NV("Streams", Chunked.Streams.size());
      return Remark;
    });
  }

  /// Whether \p L has accesses that a remark can be about.
  bool concern(const Loop &L) const {
    return any_of(L.blocks(), [&](const BasicBlock *Block) {
      return any_of(*Block, [&](const Instruction &I) {
        return !InFunction.of(I).empty();
      });
    });
  }

private:
  const FunctionAccesses &InFunction;
  OptimizationRemarkEmitter &Remarks;
};

/// The innermost loops of \p F that may be marked in chunks. Gives each loop
/// its own blocks before and after it, because the optimiser's last passes
/// merged these with others.
SmallVector<Loop *, 8> suitableLoops(Function &F, const Expansion &Known,
                                     FunctionAnalysisManager &FAM,
                                     LoopRemarks &Remarks) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<Loop *, 8> Suitable;
  bool IsChanged = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!Remarks.concern(*L))
      continue;
    if (Reason Why = whyUnsuitable(*L, Known)) {
      Remarks.keepsMarks(*L, Why);
      continue;
    }
    if (!L->getLoopPreheader())
      IsChanged |= InsertPreheaderForLoop(L, &DT, &LI, /*MSSAU=*/nullptr,
                                          /*PreserveLCSSA=*/false) != nullptr;
    IsChanged |= formDedicatedExitBlocks(L, &DT, &LI, /*MSSAU=*/nullptr,
                                         /*PreserveLCSSA=*/false);
    if (L->isLoopSimplifyForm())
      Suitable.push_back(L);
    else
      Remarks.keepsMarks(*L, "no block can be inserted before or after it");
  }
  if (IsChanged) {
    PreservedAnalyses Kept;
    Kept.preserve<LoopAnalysis>();
    Kept.preserve<DominatorTreeAnalysis>();
    FAM.invalidate(F, Kept);
  }
  return Suitable;
}

/// Whether \p L was unrolled, but not vectorised. The copies of its body share
/// marks, and fewer iterations are left, so a chunk saves less. Rows of ten
/// entries (benchmarks/kernels/spmv.c) took a quarter longer in chunks.
bool isUnrolled(const Loop &L, const SCEV *Backedges) {
  return !getBooleanLoopAttribute(&L, "llvm.loop.isvectorized") &&
         SCEVExprContains(Backedges,
                          [](const SCEV *S) { return isa<SCEVUDivExpr>(S); });
}

class LoopPlanner {
public:
  LoopPlanner(Function &F, const FunctionAccesses &InFunction,
              const PassOptions &Options, FunctionAnalysisManager &FAM)
      : InFunction(InFunction), Options(Options),
        DL(F.getParent()->getDataLayout()),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        TTI(FAM.getResult<TargetIRAnalysis>(F)),
        Expander(compat::makeExpander(SE, DL, "trips")) {}

  /// Those of \p Loops that gain from chunks. Computes their trip counts in
  /// their preheaders and changes nothing else.
  SmallVector<ChunkedLoop, 4> plan(ArrayRef<Loop *> Loops,
                                   LoopRemarks &Remarks) {
    SmallVector<ChunkedLoop, 4> Chunked;
    for (Loop *L : Loops) {
      if (Reason Why = planLoop(*L, Chunked))
        Remarks.keepsMarks(*L, Why);
      else
        Remarks.isChunked(Chunked.back());
    }
    return Chunked;
  }

private:
  /// Appends to \p Chunked, or returns why not.
  Reason planLoop(Loop &L, SmallVectorImpl<ChunkedLoop> &Chunked) {
    const SCEV *Backedges = SE.getExitCount(&L, L.getLoopLatch());
    if (isa<SCEVCouldNotCompute>(Backedges) ||
        DL.getTypeSizeInBits(Backedges->getType()) > 64)
      return "its trip count is not known when it is entered";
    if (isUnrolled(L, Backedges))
      return "it was unrolled, and the copies of its body share marks";
    Instruction *End = L.getLoopPreheader()->getTerminator();
    if (!Expander.isSafeToExpandAt(Backedges, End) ||
        Expander.isHighCostExpansion(Backedges, &L, TripCountBudget, &TTI, End))
      return "its trip count takes too long to compute";
    // Count backedges: the number of iterations may be 2^64. What guards the
    // loop says how few iterations an unrolled loop leaves for the one behind.
    APInt Most = SE.getUnsignedRangeMax(SE.applyLoopGuards(Backedges, &L));
    bool IsShort = Most.ult(MinTrips - 1);
    if (IsShort && !Options.isNear())
      return "it has too few iterations";

    ChunkedLoop Result{&L, nullptr, 0, false, {}};
    uint64_t Instructions = 0, Others = 0;
    for (BasicBlock *Block : L.blocks()) {
      Instructions += Block->size();
      if (DT.dominates(Block, L.getLoopLatch()))
        collectStreams(L, *Block, Result.Streams);
    }
    // If no address moves, code generation moves all but the marks' stores out
    // of the loop, and chunks gain too little.
    if (none_of(Result.Streams, [](const Stream &S) { return S.Stride != 0; }))
      return "no address moves by a constant number of bytes in each iteration";
    SmallPtrSet<Instruction *, 16> Covered;
    for (const Stream &S : Result.Streams)
      Covered.insert(S.Members.begin(), S.Members.end());
    for (BasicBlock *Block : L.blocks())
      Others += count_if(*Block, [&](Instruction &I) {
        return I.mayReadOrWriteMemory() && !Covered.contains(&I);
      });
    Result.Limit = std::min(MaxIterations, MaxInstructions / Instructions);
    if (Others)
      Result.Limit = std::min(
          Result.Limit, std::max(MinIterations, MaxOtherAccesses / Others));
    for (const Stream &S : Result.Streams)
      Result.Limit = std::min(Result.Limit, iterationsInReach(S));
    if (Result.Limit < MinIterations)
      return "its body is too long, or chunks would be too short";
    Result.IsOneChunk = Most.ult(Result.Limit);
    if (Result.IsOneChunk && Options.isNear())
      for (Stream &S : Result.Streams)
        S.IsNear =
            S.Stride && bytesOf(S, Most.getZExtValue()) <= Options.cellBytes();
    if (IsShort &&
        !all_of(Result.Streams, [](const Stream &S) { return S.IsNear; }))
      return "it has too few iterations";
    IntegerType *CountTy = Type::getInt64Ty(End->getContext());
    Result.BackedgesTaken = Expander.expandCodeFor(
        SE.getNoopOrZeroExtend(Backedges, CountTy), CountTy, End);
    Chunked.push_back(std::move(Result));
    return nullptr;
  }

  /// How many bytes span those that \p Backedges + 1 iterations touch.
  static uint64_t bytesOf(const Stream &S, uint64_t Backedges) {
    return Backedges * static_cast<uint64_t>(std::abs(S.Stride)) + S.extent();
  }

  /// How many iterations touch bytes that span no more than one granule's size.
  uint64_t iterationsInReach(const Stream &S) const {
    if (!S.Stride)
      return MaxIterations;
    return (Options.granuleBytes() - S.extent()) /
               static_cast<uint64_t>(std::abs(S.Stride)) +
           1;
  }

  void collectStreams(const Loop &L, BasicBlock &Block,
                      SmallVectorImpl<Stream> &Streams) {
    for (Instruction &I : Block) {
      ArrayRef<Access> Accesses = InFunction.of(I);
      if (Accesses.empty() || isPartialUpdate(I) || isAlternative(I))
        continue;
      // All of an instruction's accesses or none.
      SmallVector<Stream, 2> Own;
      if (all_of(Accesses,
                 [&](const Access &A) { return addStreams(L, A, Own); }))
        for (Stream &S : Own)
          join(S, Streams);
    }
  }

  bool addStreams(const Loop &L, const Access &A,
                  SmallVectorImpl<Stream> &Own) {
    if (A.Shape != AccessShape::Fixed || A.Bytes > Options.granuleBytes() / 2)
      return false;
    const SCEV *Address = SE.getSCEV(A.Address);
    int64_t Stride = 0;
    if (!SE.isLoopInvariant(Address, &L)) {
      auto *Steps = dyn_cast<SCEVAddRecExpr>(Address);
      if (!Steps || Steps->getLoop() != &L || !Steps->isAffine())
        return false;
      auto *Step = dyn_cast<SCEVConstant>(Steps->getStepRecurrence(SE));
      if (!Step || Step->getAPInt().abs().ugt(Options.granuleBytes()))
        return false;
      Stride = Step->getAPInt().getSExtValue();
    }
    unsigned StepsLeft = MaxAddressSteps;
    if (!isMaterializable(A.Address, L, StepsLeft))
      return false;
    for (unsigned Cell : cellsOf(A.Kind, Options.Layout)) {
      Stream S{A.Address,
               Address,
               Stride,
               A.Offset,
               A.Offset + static_cast<int64_t>(A.Bytes) - 1,
               Cell,
               {A.At}};
      if (iterationsInReach(S) < MinIterations)
        return false;
      Own.push_back(std::move(S));
    }
    return true;
  }

  /// Adds \p New to a stream that moves with it, or as a stream of its own.
  void join(Stream &New, SmallVectorImpl<Stream> &Streams) {
    for (Stream &S : Streams) {
      if (S.Cell != New.Cell || S.Stride != New.Stride)
        continue;
      auto *Distance =
          dyn_cast<SCEVConstant>(SE.getMinusSCEV(New.Address, S.Address));
      if (!Distance || Distance->getAPInt().getSignificantBits() > 32)
        continue;
      Stream Joined = S;
      int64_t By = Distance->getAPInt().getSExtValue();
      Joined.Low = std::min(S.Low, New.Low + By);
      Joined.High = std::max(S.High, New.High + By);
      // Members far apart would make chunks short.
      if (Joined.extent() > Options.granuleBytes() / 8)
        continue;
      S.Low = Joined.Low;
      S.High = Joined.High;
      if (S.Members.back() != New.Members.front())
        S.Members.push_back(New.Members.front());
      return;
    }
    Streams.push_back(std::move(New));
  }

  const FunctionAccesses &InFunction;
  const PassOptions &Options;
  const DataLayout &DL;
  DominatorTree &DT;
  ScalarEvolution &SE;
  TargetTransformInfo &TTI;
  SCEVExpander Expander;
};

/// Where the marks of a chunk go, and what is known there.
struct ChunkStart {
  Instruction *End; ///< marks go before it
  Value *LastIteration =
      nullptr;       ///< number of the chunk's last iteration, from 0
  ChunkValues Known; ///< the loop's phi nodes
};

/// Puts a second loop around \p Chunked (see the picture in the header).
void splitIntoChunks(const ChunkedLoop &Chunked, ChunkStart &Start) {
  Loop &L = *Chunked.L;
  BasicBlock *Preheader = L.getLoopPreheader(), *Header = L.getHeader();
  BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  Function &F = *Header->getParent();
  LLVMContext &Context = F.getContext();
  auto *Chunk = BasicBlock::Create(Context, "chunk", &F, Header);
  auto *ChunkEnd =
      BasicBlock::Create(Context, "chunk.end", &F, Latch->getNextNode());
  IRBuilder<> Builder(Chunk);
  Builder.SetCurrentDebugLocation(Branch->getDebugLoc());
  IntegerType *CountTy = Builder.getInt64Ty();

  for (PHINode &Phi : Header->phis()) {
    PHINode *Outer = Builder.CreatePHI(Phi.getType(), 2, Phi.getName());
    Outer->addIncoming(Phi.getIncomingValueForBlock(Preheader), Preheader);
    Outer->addIncoming(Phi.getIncomingValueForBlock(Latch), ChunkEnd);
    int FromPreheader = Phi.getBasicBlockIndex(Preheader);
    Phi.setIncomingBlock(FromPreheader, Chunk);
    Phi.setIncomingValue(FromPreheader, Outer);
    Start.Known[&Phi] = Outer;
  }
  Preheader->getTerminator()->replaceSuccessorWith(Header, Chunk);

  PHINode *Left = Builder.CreatePHI(CountTy, 2, "backedges.left");
  Value *Last = Builder.CreateBinaryIntrinsic(
      Intrinsic::umin, Left, Builder.getInt64(Chunked.Limit - 1));
  Value *Count = Builder.CreateAdd(Last, Builder.getInt64(1), "iterations",
                                   /*HasNUW=*/true);
  Start.End = Builder.CreateBr(Header);
  Start.LastIteration = Last;

  Builder.SetInsertPoint(Header, Header->begin());
  PHINode *ToDo = Builder.CreatePHI(CountTy, 2, "iterations.left");
  Builder.SetInsertPoint(Branch);
  Value *Rest = Builder.CreateSub(ToDo, Builder.getInt64(1), "",
                                  /*HasNUW=*/true);
  ToDo->addIncoming(Count, Chunk);
  ToDo->addIncoming(Rest, Latch);
  Value *IsChunkDone = Builder.CreateICmpEQ(Rest, Builder.getInt64(0));
  Builder.CreateCondBr(IsChunkDone, ChunkEnd, Header);
  Branch->eraseFromParent();
  // Code generation drops the old condition. If dead values were dropped here,
  // values that so far only the plan uses would go too.

  Builder.SetInsertPoint(ChunkEnd);
  Value *IsDone = Builder.CreateICmpEQ(Left, Last);
  Value *LeftAfter = Builder.CreateSub(Left, Count);
  Builder.CreateCondBr(IsDone, Exit, Chunk);
  Left->addIncoming(Chunked.BackedgesTaken, Preheader);
  Left->addIncoming(LeftAfter, ChunkEnd);
  Exit->replacePhiUsesWith(Latch, ChunkEnd);
}

class StreamMarker {
public:
  StreamMarker(const ChunkedLoop &Chunked, ChunkStart &Start, MarkPlan &Plan)
      : Chunked(Chunked), Start(Start), Plan(Plan), Builder(Start.End),
        Segment(Plan.nextSegment()) {
    if (!Builder.getCurrentDebugLocation())
      Builder.SetCurrentDebugLocation(
          Chunked.L->getLoopLatch()->getTerminator()->getDebugLoc());
  }

  void beginChecks() {
    Plan.Steps.push_back({MarkStepKind::CheckBegin, Start.End, Segment});
  }

  void mark(const Stream &S) {
    Value *First = materialize(S.Pointer, *Chunked.L, Start.Known, Builder);
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

private:
  /// The address in the chunk's last iteration. Equal ones are one value, so
  /// that a read and a write of it can share a mark.
  Value *lastAddress(const Stream &S, Value *First) {
    Value *&Last = Lasts[{First, S.Stride}];
    if (!Last)
      Last = Builder.CreatePtrAdd(
          First,
          Builder.CreateMul(Start.LastIteration, Builder.getInt64(S.Stride)));
    return Last;
  }

  MarkStep &addByte(const Stream &S, Value *Address, int64_t Offset) {
    return Plan.Steps.emplace_back(MarkStep::byte(
        *Start.End, Segment, *S.Members.front(), Address, Offset, S.Cell));
  }

  const ChunkedLoop &Chunked;
  ChunkStart &Start;
  MarkPlan &Plan;
  IRBuilder<> Builder;
  unsigned Segment;
  DenseMap<std::pair<Value *, int64_t>, Value *> Lasts;
};

} // namespace

ChunkedAccesses chunkLoops(const FunctionToMark &Input,
                           FunctionAnalysisManager &FAM,
                           OptimizationRemarkEmitter &Emitter) {
  ChunkedAccesses Covered;
  Function &F = Input.F;
  if (!Input.Options.Chunks || Input.Mode == MarkMode::Calls || F.hasOptNone())
    return Covered;
  LoopRemarks Remarks(Input.Accesses, Emitter);
  SmallVector<Loop *, 8> Suitable = suitableLoops(F, Input.Known, FAM, Remarks);
  if (Suitable.empty())
    return Covered;
  SmallVector<ChunkedLoop, 4> Chunked =
      LoopPlanner(F, Input.Accesses, Input.Options, FAM)
          .plan(Suitable, Remarks);
  for (const ChunkedLoop &Loop : Chunked) {
    ChunkStart Start;
    if (Loop.IsOneChunk) {
      BasicBlock *Preheader = Loop.L->getLoopPreheader();
      Start.End = Preheader->getTerminator();
      Start.LastIteration = Loop.BackedgesTaken;
      for (PHINode &Phi : Loop.L->getHeader()->phis())
        Start.Known[&Phi] = Phi.getIncomingValueForBlock(Preheader);
    } else {
      splitIntoChunks(Loop, Start);
    }
    StreamMarker Marker(Loop, Start, Covered.Plan);
    if (Input.Mode == MarkMode::Check)
      Marker.beginChecks();
    Covered.Bodies.insert(Loop.L->block_begin(), Loop.L->block_end());
    for (const Stream &S : Loop.Streams) {
      Marker.mark(S);
      for (Instruction *I : S.Members) {
        if (Covered.Instructions.insert(I).second && I->mayReadFromMemory())
          Covered.Plan.MarkedReads.push_back(I);
      }
    }
  }
  if (!Chunked.empty())
    FAM.invalidate(F, PreservedAnalyses::none());
  return Covered;
}

} // namespace pagetide

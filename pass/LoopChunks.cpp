//===- LoopChunks.cpp - Loops marked a chunk at a time --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopChunks.h"

#include "ChunkBuilder.h"
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

/// ScalarEvolution looks at what guards a loop, and so at the loops before it.
/// In functions with more loops, those that may end early keep their marks.
constexpr size_t MaxGuards = 64;

/// Instructions copied out of the loop to form one address.
constexpr unsigned MaxAddressSteps = 8;

/// How many addresses of a loop may be held. Each takes a register, and five
/// instructions per chunk.
constexpr unsigned MaxHeld = 4;

/// How much computing a trip count may cost, in TargetTransformInfo's units.
constexpr unsigned TripCountBudget = 8;

/// Why a loop keeps its marks. Follows "the loop keeps its marks: ".
using Reason = const char *;

/// Null if everything in \p L returns, and it has one end.
Reason whyUnsuitable(const Loop &L, const Expansion &Known) {
  if (!L.isInnermost())
    return "it contains another loop";
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || !isa<BranchInst>(Latch->getTerminator()))
    return "it does not have one end";
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
      for (const HeldAddress &Held : Chunked.Held)
        Covered += Held.Accesses.size();
      OptimizationRemark Remark(DEBUG_TYPE, "LoopChunked", L.getStartLoc(),
                                L.getHeader());
      Remark << "the loop is marked a chunk at a time: iterations of a chunk "
             << ore::NV("Iterations", Chunked.Limit) << " at most, accesses "
             << ore::NV("Accesses", Covered) << ", streams "
             << ore::NV("Streams",
                        Chunked.Streams.size() + Chunked.Held.size());
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
/// entries with gathers (benchmarks/kernels/spmv.c) took a quarter longer in
/// chunks.
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
    HasManyLoops = Loops.size() > MaxGuards;
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
    BasicBlock *Latch = L.getLoopLatch();
    bool EndsEarly = L.getExitingBlock() != Latch;
    if (EndsEarly && HasManyLoops)
      return "it may end early, and its function has many loops";
    const SCEV *Backedges = L.isLoopExiting(Latch) ? SE.getExitCount(&L, Latch)
                                                   : SE.getCouldNotCompute();
    Instruction *End = L.getLoopPreheader()->getTerminator();
    bool IsCounted = !isa<SCEVCouldNotCompute>(Backedges) &&
                     DL.getTypeSizeInBits(Backedges->getType()) <= 64 &&
                     Expander.isSafeToExpandAt(Backedges, End) &&
                     !Expander.isHighCostExpansion(Backedges, &L,
                                                   TripCountBudget, &TTI, End);
    EndsEarly |= !IsCounted;
    // Count backedges: the number of iterations may be 2^64. What guards the
    // loop says how few iterations an unrolled loop leaves for the one behind.
    APInt Most = APInt::getAllOnes(64);
    if (IsCounted)
      Most = SE.getUnsignedRangeMax(SE.applyLoopGuards(Backedges, &L));
    bool IsShort = Most.ult(MinTrips - 1);
    if (IsShort && (!Options.isNear() || EndsEarly))
      return "it has too few iterations";

    ChunkedLoop Result{&L, nullptr, 0, false, {}, {}};
    uint64_t Instructions = 0;
    for (BasicBlock *Block : L.blocks()) {
      Instructions += Block->size();
      if (!EndsEarly && DT.dominates(Block, Latch))
        collectStreams(L, *Block, Result.Streams);
    }
    Result.Limit = std::min(MaxIterations, MaxInstructions / Instructions);
    for (const Stream &S : Result.Streams)
      Result.Limit = std::min(Result.Limit, iterationsInReach(S));
    Result.IsOneChunk = IsCounted && !EndsEarly && Most.ult(Result.Limit);
    if (!Result.IsOneChunk) {
      collectHeld(L, EndsEarly, Result);
      holdStreams(Result);
    }
    uint64_t Others = countOthers(Result);
    if (Others && IsCounted && isUnrolled(L, Backedges))
      return "it was unrolled, and some accesses need marks of their own";
    if (Reason Why = whyNotWorthwhile(Result, EndsEarly, IsCounted, Others))
      return Why;
    if (Others)
      Result.Limit = std::min(
          Result.Limit, std::max(MinIterations, MaxOtherAccesses / Others));
    if (Result.Limit < MinIterations)
      return "its body is too long, or chunks would be too short";
    Result.IsOneChunk &= Most.ult(Result.Limit);
    if (Result.IsOneChunk && Options.isNear())
      for (Stream &S : Result.Streams)
        S.IsNear =
            S.Stride && bytesOf(S, Most.getZExtValue()) <= Options.cellBytes();
    if (IsShort &&
        !all_of(Result.Streams, [](const Stream &S) { return S.IsNear; }))
      return "it has too few iterations";
    IntegerType *CountTy = Type::getInt64Ty(End->getContext());
    if (IsCounted)
      Result.BackedgesTaken = Expander.expandCodeFor(
          SE.getNoopOrZeroExtend(Backedges, CountTy), CountTy, End);
    Chunked.push_back(std::move(Result));
    return nullptr;
  }

  /// The accesses of the loop that keep their own marks.
  static uint64_t countOthers(const ChunkedLoop &Chunked) {
    SmallPtrSet<const Instruction *, 16> Covered;
    for (const Stream &S : Chunked.Streams)
      Covered.insert(S.Members.begin(), S.Members.end());
    for (const HeldAddress &Held : Chunked.Held)
      for (const HeldAccess &A : Held.Accesses)
        Covered.insert(A.At);
    uint64_t Others = 0;
    for (BasicBlock *Block : Chunked.L->blocks())
      Others += count_if(*Block, [&](Instruction &I) {
        return I.mayReadOrWriteMemory() && !Covered.contains(&I);
      });
    return Others;
  }

  static Reason whyNotWorthwhile(const ChunkedLoop &Chunked, bool EndsEarly,
                                 bool IsCounted, uint64_t Others) {
    // If no address moves, code generation moves all but the marks' stores out
    // of the loop, and chunks gain too little.
    auto Moves = [](const auto &Any) { return Any.Stride != 0; };
    if (none_of(Chunked.Streams, Moves) && none_of(Chunked.Held, Moves))
      return "no address moves by a constant number of bytes in each iteration";
    if (!EndsEarly)
      return nullptr;
    // Such loops mostly end soon, those of insertion sorts for example.
    if (Others)
      return "it may end early, and some accesses need marks of their own";
    auto SavesMark = [&](const HeldAddress &Held) {
      return Moves(Held) && any_of(Held.Accesses, [](const HeldAccess &A) {
               return A.IsFirst;
             });
    };
    // Without a trip count, counting the iterations costs two instructions.
    if (count_if(Chunked.Held, SavesMark) >= (IsCounted ? 1 : 2))
      return nullptr;
    return IsCounted ? "it may end early, and chunks would save little"
                     : "its trip count is not known when it is entered, and "
                       "chunks would save little";
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

  /// How many bytes \p Address moves in an iteration of \p L, if that is known
  /// and not too much.
  std::optional<int64_t> strideOf(const Loop &L, const SCEV *Address) const {
    if (SE.isLoopInvariant(Address, &L))
      return 0;
    auto *Steps = dyn_cast<SCEVAddRecExpr>(Address);
    if (!Steps || Steps->getLoop() != &L || !Steps->isAffine())
      return std::nullopt;
    auto *Step = dyn_cast<SCEVConstant>(Steps->getStepRecurrence(SE));
    if (!Step || Step->getAPInt().abs().ugt(Options.granuleBytes()))
      return std::nullopt;
    return Step->getAPInt().getSExtValue();
  }

  /// What is marked for an access of shape Fixed.
  struct MarkedBytes {
    Value *Address;
    int64_t Offset;
    uint64_t Bytes;
  };

  /// A part of an object is in one granule, so one byte of it will do.
  static MarkedBytes markedBytes(const Access &A) {
    if (A.Part.Object)
      return {A.Part.Object, A.Part.Low, 1};
    return {A.Address, A.Offset, A.Bytes};
  }

  bool addStreams(const Loop &L, const Access &A,
                  SmallVectorImpl<Stream> &Own) {
    if (A.Shape != AccessShape::Fixed || A.Bytes > Options.granuleBytes() / 2)
      return false;
    MarkedBytes Marked = markedBytes(A);
    const SCEV *Address = SE.getSCEV(Marked.Address);
    std::optional<int64_t> Stride = strideOf(L, Address);
    if (!Stride)
      return false;
    unsigned StepsLeft = MaxAddressSteps;
    if (!isMaterializable(Marked.Address, L, StepsLeft))
      return false;
    for (unsigned Cell : cellsOf(A.Kind, Options.Layout)) {
      Stream S{Marked.Address,
               Address,
               *Stride,
               Marked.Offset,
               Marked.Offset + static_cast<int64_t>(Marked.Bytes) - 1,
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

  /// Collects the accesses of \p L that not every iteration makes, or makes
  /// before it may leave the loop.
  void collectHeld(const Loop &L, bool EndsEarly, ChunkedLoop &Chunked) {
    SmallPtrSet<const Instruction *, 16> InStreams;
    for (const Stream &S : Chunked.Streams)
      InStreams.insert(S.Members.begin(), S.Members.end());
    SmallVector<BasicBlock *, 4> Ends;
    L.getExitingBlocks(Ends);
    Ends.push_back(L.getLoopLatch());
    for (BasicBlock *Block : L.blocks()) {
      bool IsFirst = all_of(
          Ends, [&](BasicBlock *End) { return DT.dominates(Block, End); });
      for (Instruction &I : *Block) {
        ArrayRef<Access> Accesses = InFunction.of(I);
        // A part's mark is one store where the access is. In a loop that may
        // end early, no chunk is worth it (sqlite3: comparisons of short
        // strings).
        if (Accesses.size() == 1 && !InStreams.contains(&I) &&
            !(EndsEarly && Accesses.front().Part.Object) &&
            !isPartialUpdate(I) && !isAlternative(I))
          hold(L, Accesses.front(), IsFirst, Chunked.Held);
      }
    }
  }

  /// A stream of one address that is held needs no mark of its own at a chunk's
  /// end.
  static void holdStreams(ChunkedLoop &Chunked) {
    erase_if(Chunked.Streams, [&](const Stream &S) {
      auto *Found = find_if(Chunked.Held, [&](const HeldAddress &Held) {
        return Held.Stride && Held.Address == S.Address &&
               Held.Offset == S.Low && S.extent() <= Held.Bytes;
      });
      if (Found == Chunked.Held.end())
        return false;
      for (Instruction *I : S.Members)
        Found->Accesses.push_back({I, S.Cell, /*IsFirst=*/true});
      return true;
    });
  }

  void hold(const Loop &L, const Access &A, bool IsFirst,
            SmallVectorImpl<HeldAddress> &Held) {
    SmallVector<unsigned, 2> Cells = cellsOf(A.Kind, Options.Layout);
    if (A.Shape != AccessShape::Fixed || A.Bytes > Options.granuleBytes())
      return;
    MarkedBytes Marked = markedBytes(A);
    if (!A.Part.Object &&
        (A.Alignment.value() < A.Bytes || Options.DistrustAlignment))
      return;
    const SCEV *Address = SE.getSCEV(Marked.Address);
    std::optional<int64_t> Stride = strideOf(L, Address);
    if (!Stride || static_cast<uint64_t>(std::abs(*Stride)) >
                       Options.granuleBytes() / MinIterations)
      return;
    auto IsSame = [&](const HeldAddress &Other) {
      return Other.Address == Address && Other.Offset == Marked.Offset;
    };
    auto *Found = find_if(Held, IsSame);
    if (Found == Held.end()) {
      unsigned StepsLeft = MaxAddressSteps;
      if (Held.size() == MaxHeld ||
          !isMaterializable(Marked.Address, L, StepsLeft))
        return;
      Held.push_back({Marked.Address, Address, Marked.Offset, *Stride, 0, {}});
      Found = &Held.back();
    }
    Found->Bytes = std::max(Found->Bytes,
                            A.Part.Object ? A.Part.Bytes : A.Alignment.value());
    for (unsigned Cell : Cells)
      Found->Accesses.push_back({A.At, Cell, IsFirst});
  }

  const FunctionAccesses &InFunction;
  const PassOptions &Options;
  const DataLayout &DL;
  DominatorTree &DT;
  ScalarEvolution &SE;
  TargetTransformInfo &TTI;
  bool HasManyLoops = false;
  SCEVExpander Expander;
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
  auto Cover = [&](Instruction *I) {
    if (Covered.Instructions.insert(I).second && I->mayReadFromMemory())
      Covered.Plan.MarkedReads.push_back(I);
  };
  for (const ChunkedLoop &Loop : Chunked) {
    Covered.Bodies.insert(Loop.L->block_begin(), Loop.L->block_end());
    buildChunks(Loop, Input, Covered.Plan);
    for (const Stream &S : Loop.Streams)
      for_each(S.Members, Cover);
    for (const HeldAddress &Held : Loop.Held)
      for (const HeldAccess &A : Held.Accesses)
        Cover(A.At);
  }
  if (!Chunked.empty())
    FAM.invalidate(F, PreservedAnalyses::none());
  return Covered;
}

} // namespace pagetide

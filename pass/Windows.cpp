//===- Windows.cpp - Two copies of a body that control can change ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Windows.h"

#include "CodegenGuards.h"
#include "SharedValues.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace pagetide {
namespace {

/// A loop that certainly has no more iterations runs without tests.
constexpr unsigned MaxUntestedTrips = 64;

//===----------------------------------------------------------------------===//
// Where plain code tests
//===----------------------------------------------------------------------===//

/// True if nothing that \p Call runs has marks, and it returns soon: it is an
/// instruction, or a function of libc that waits for nothing and calls back
/// nobody.
bool isShortAndPlain(const CallBase &Call, const TargetLibraryInfo &TLI) {
  if (isa<IntrinsicInst>(Call) || Call.isInlineAsm())
    return true;
  const Function *Callee = Call.getCalledFunction();
  LibFunc Known;
  if (!Callee || !Callee->isDeclaration() || !TLI.getLibFunc(Call, Known))
    return false;
  return Call.onlyAccessesArgMemory() || isAllocationFn(&Call, &TLI) ||
         getFreedOperand(&Call, &TLI);
}

/// True if the function returns behind \p Call and accesses nothing before. Its
/// caller tests then.
bool isFollowedByReturn(const CallBase &Call) {
  for (const Instruction *I = Call.getNextNode(); I; I = I->getNextNode()) {
    if (isa<ReturnInst, UnreachableInst>(I))
      return true;
    if (I->isTerminator() ||
        (I->mayReadOrWriteMemory() && !I->isLifetimeStartOrEnd() &&
         !isa<DbgInfoIntrinsic>(I)))
      return false;
  }
  return false;
}

/// The calls behind which plain code tests, in order.
SmallVector<CallBase *, 16> testedCalls(Function &F,
                                        const TargetLibraryInfo &TLI) {
  SmallVector<CallBase *, 16> Result;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (!Call->isMustTailCall() && !isShortAndPlain(*Call, TLI) &&
          !isFollowedByReturn(*Call))
        Result.push_back(Call);
  return Result;
}

/// The edge from a loop's end to its beginning.
struct BackwardEdge {
  Instruction *End; ///< the branch, which stays when its block is divided
  BasicBlock *Header;
  /// Something else tests in each iteration, so plain code does not here.
  bool IsTested;
};

/// Whether \p L runs without tests of its own. A loop inside another one that
/// calls nobody is usually over soon. Tests would take a tenth of its time, and
/// control that may enter it from elsewhere would cost registers. A thread that
/// stays in it for long gets marks late, and the trace says so.
bool isShortInOther(const Loop &L, ArrayRef<CallBase *> Tested) {
  return L.getParentLoop() && none_of(Tested, [&](const CallBase *Call) {
           return L.contains(Call);
         });
}

SmallVector<BackwardEdge, 8> backwardEdges(Function &F,
                                           ArrayRef<CallBase *> Tested,
                                           FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<BackwardEdge, 8> Result;
  for (Loop *L : LI.getLoopsInPreorder()) {
    unsigned Most = SE.getSmallConstantMaxTripCount(L);
    if ((Most && Most <= MaxUntestedTrips) || L->getHeader()->isEHPad() ||
        isShortInOther(*L, Tested))
      continue;
    SmallVector<BasicBlock *, 4> Latches;
    L->getLoopLatches(Latches);
    for (BasicBlock *Latch : Latches) {
      bool IsTested = any_of(Tested, [&](const CallBase *Call) {
        return L->contains(Call) && DT.dominates(Call->getParent(), Latch);
      });
      Result.push_back({Latch->getTerminator(), L->getHeader(), IsTested});
    }
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// The merged function
//===----------------------------------------------------------------------===//

class Merger {
public:
  Merger(WindowCopy &Pair, GlobalVariable &On,
         function_ref<void(Instruction &)> MarkCovered)
      : F(*Pair.Original), Copy(*Pair.Copy), Values(Pair.Values), On(On),
        MarkCovered(MarkCovered) {
    for (Instruction &I : instructions(F))
      Plain.push_back(&I);
  }

  void run(ArrayRef<CallBase *> Calls, ArrayRef<BackwardEdge> Edges) {
    BasicBlock *MarkedEntry = moveCopy();
    testAtEntry(*MarkedEntry);
    for (const BackwardEdge &Edge : Edges)
      testAtLoopEnd(Edge);
    for (CallBase *Call : Calls)
      testBehind(*Call);
    SmallVector<BasicBlock *, 32> Marked;
    for (BasicBlock *Block : ReversePostOrderTraversal(&F))
      if (!PlainBlocks.contains(Block))
        Marked.push_back(Block);
    shareValues({Plain, Marked, Values, Crossings});
  }

private:
  Value *inMarked(Value *V) const { return Values.lookup(V); }

  BasicBlock *moveCopy();
  void testAtEntry(BasicBlock &MarkedEntry);
  void testBehind(CallBase &Call);
  void testAtLoopEnd(const BackwardEdge &Edge);
  BranchInst *test(BasicBlock &Block, BasicBlock &IfAsked, BasicBlock &Else,
                   bool ForMarks);
  const Crossing &crossing(BasicBlock &To, bool ToMarked, const DebugLoc &Loc);
  BasicBlock *connect(BasicBlock &Latch, BasicBlock &Header, BasicBlock &Other,
                      bool ForMarks);

  Function &F, &Copy;
  ValueToValueMapTy &Values;
  GlobalVariable &On;
  function_ref<void(Instruction &)> MarkCovered;
  SmallVector<Instruction *, 64> Plain;
  SmallPtrSet<BasicBlock *, 32> PlainBlocks;
  SmallPtrSet<LandingPadInst *, 8> LandingPads; ///< that have a test
  SmallVector<Crossing, 16> Crossings;
};

/// Moves the copy's blocks behind the plain ones. Both copies have the same
/// local variables.
BasicBlock *Merger::moveCopy() {
  for (Instruction *I : Plain)
    if (auto *Local = dyn_cast<AllocaInst>(I); Local && Local->isStaticAlloca())
      if (auto *Same = dyn_cast_or_null<AllocaInst>(inMarked(Local))) {
        Same->replaceAllUsesWith(Local);
        Same->eraseFromParent();
      }
  for (auto [Old, New] : zip_equal(Copy.args(), F.args()))
    Old.replaceAllUsesWith(&New);
  BasicBlock *MarkedEntry = &Copy.getEntryBlock();
  for (BasicBlock &Block : F)
    PlainBlocks.insert(&Block);
  F.splice(F.end(), &Copy);
  Copy.eraseFromParent();
  return MarkedEntry;
}

/// Ends \p Block with a test. \p IfAsked runs if the byte asks for marks, or
/// (not \p ForMarks) for none. That is rare.
BranchInst *Merger::test(BasicBlock &Block, BasicBlock &IfAsked,
                         BasicBlock &Else, bool ForMarks) {
  IRBuilder<> Builder(&Block);
  Value *IsOn = Builder.CreateLoad(Builder.getInt8Ty(), &On,
                                   /*isVolatile=*/true);
  Value *IsZero = Builder.CreateIsNull(IsOn);
  MDNode *Rare =
      MDBuilder(F.getContext()).createBranchWeights(1, (1 << 20) - 1);
  MDNode *Usual =
      MDBuilder(F.getContext()).createBranchWeights((1 << 20) - 1, 1);
  return ForMarks ? Builder.CreateCondBr(IsZero, &Else, &IfAsked, Usual)
                  : Builder.CreateCondBr(IsZero, &IfAsked, &Else, Rare);
}

/// Control changes to \p To, which belongs to the other copy.
const Crossing &Merger::crossing(BasicBlock &To, bool ToMarked,
                                 const DebugLoc &Loc) {
  // They have their places behind all plain code, out of its way.
  auto *Leave = BasicBlock::Create(F.getContext(), "leave", &F);
  auto *Enter = BasicBlock::Create(F.getContext(), "enter", &F);
  auto *Branch = BranchInst::Create(Enter, Leave);
  Branch->setDebugLoc(Loc);
  BranchInst::Create(&To, Enter)->setDebugLoc(Loc);
  if (ToMarked)
    MarkCovered(*Branch);
  return Crossings.emplace_back(Crossing{Leave, Enter, ToMarked});
}

void Merger::testAtEntry(BasicBlock &MarkedEntry) {
  BasicBlock &Entry = F.getEntryBlock();
  // The locals stay in the entry.
  for (Instruction &I : make_early_inc_range(Entry))
    if (auto *Local = dyn_cast<AllocaInst>(&I);
        Local && Local->isStaticAlloca())
      Local->moveBefore(Entry, Entry.getFirstInsertionPt());
  for (Instruction &I : make_early_inc_range(MarkedEntry))
    if (auto *Local = dyn_cast<AllocaInst>(&I);
        Local && Local->isStaticAlloca())
      Local->moveBefore(Entry, Entry.getFirstInsertionPt());
  auto Begin = find_if(Entry, [](Instruction &I) {
    auto *Local = dyn_cast<AllocaInst>(&I);
    return !Local || !Local->isStaticAlloca();
  });
  BasicBlock *Body = Entry.splitBasicBlock(Begin, "plain");
  PlainBlocks.insert(Body);
  Entry.getTerminator()->eraseFromParent();
  test(Entry, MarkedEntry, *Body, /*ForMarks=*/true);
}

/// Plain code goes on as marked code behind \p Call if marks are on.
void Merger::testBehind(CallBase &Call) {
  auto *Same = dyn_cast_or_null<CallBase>(inMarked(&Call));
  if (!Same || PlainBlocks.contains(Same->getParent()))
    return;
  auto TestBefore = [&](Instruction &First, Instruction &SameFirst) {
    BasicBlock *Before = First.getParent();
    BasicBlock *Rest = Before->splitBasicBlock(&First, "plain");
    PlainBlocks.insert(Rest);
    BasicBlock *MarkedRest =
        SameFirst.getParent()->splitBasicBlock(&SameFirst, "marked");
    Before->getTerminator()->eraseFromParent();
    test(*Before, *crossing(*MarkedRest, true, Call.getDebugLoc()).Leave, *Rest,
         true);
  };
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke) {
    TestBefore(*Call.getNextNode(), *Same->getNextNode());
    return;
  }
  auto *SameInvoke = dyn_cast<InvokeInst>(Same);
  if (!SameInvoke)
    return;
  BasicBlock *Normal = SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
  BasicBlock *SameNormal =
      SplitEdge(SameInvoke->getParent(), SameInvoke->getNormalDest());
  PlainBlocks.insert(Normal);
  TestBefore(*Normal->getFirstInsertionPt(),
             *SameNormal->getFirstInsertionPt());
  // Several calls may have one landing pad.
  auto *Pad = Invoke->getLandingPadInst();
  auto *SamePad = SameInvoke->getLandingPadInst();
  if (LandingPads.insert(Pad).second)
    TestBefore(*Pad->getNextNode(), *SamePad->getNextNode());
}

/// Puts a test on the edge \p From, which may lead to \p Other, the header of
/// the other copy's loop. Its phi nodes get there what they stand for.
BasicBlock *Merger::connect(BasicBlock &Latch, BasicBlock &Header,
                            BasicBlock &Other, bool ForMarks) {
  auto *Test =
      BasicBlock::Create(F.getContext(), "loop.end", &F, Latch.getNextNode());
  if (ForMarks)
    PlainBlocks.insert(Test);
  Instruction *End = Latch.getTerminator();
  Crossing Change = crossing(Other, ForMarks, End->getDebugLoc());
  End->replaceSuccessorWith(&Header, Test);
  for (PHINode &Phi : Header.phis()) { // a switch may have several such edges
    while (count(Phi.blocks(), &Latch) > 1)
      Phi.removeIncomingValue(&Latch, /*DeletePHIIfEmpty=*/false);
    Phi.replaceIncomingBlockWith(&Latch, Test);
  }
  test(*Test, *Change.Leave, Header, ForMarks)->setDebugLoc(End->getDebugLoc());
  return Change.Enter;
}

/// Lets control change at the end of a loop, in both directions.
void Merger::testAtLoopEnd(const BackwardEdge &Edge) {
  auto *SameEnd = dyn_cast_or_null<Instruction>(inMarked(Edge.End));
  auto *SameHeader = dyn_cast_or_null<BasicBlock>(inMarked(Edge.Header));
  if (!SameEnd || !SameHeader || !is_contained(successors(SameEnd), SameHeader))
    return;
  SmallVector<std::pair<PHINode *, PHINode *>, 8> Phis;
  for (PHINode &Phi : Edge.Header->phis())
    Phis.push_back({&Phi, dyn_cast_or_null<PHINode>(inMarked(&Phi))});
  if (any_of(SameHeader->phis(), [&](PHINode &Marked) {
        return none_of(Phis, [&](auto Pair) { return Pair.second == &Marked; });
      }))
    return; // plain code has no such value
  BasicBlock *Latch = Edge.End->getParent(), *SameLatch = SameEnd->getParent();
  // What the phi nodes get from the loops' ends, before the edges change.
  struct Incoming {
    Value *Plain, *Marked;
  };
  SmallVector<Incoming, 8> Values;
  for (auto [Phi, Marked] : Phis)
    Values.push_back({Phi->getIncomingValueForBlock(Latch),
                      Marked ? Marked->getIncomingValueForBlock(SameLatch)
                             : PoisonValue::get(Phi->getType())});
  if (!Edge.IsTested) {
    BasicBlock *From =
        connect(*Latch, *Edge.Header, *SameHeader, /*ForMarks=*/true);
    for (auto [Pair, Value] : zip_equal(Phis, Values))
      if (Pair.second)
        Pair.second->addIncoming(Value.Plain, From);
  }
  BasicBlock *From =
      connect(*SameLatch, *SameHeader, *Edge.Header, /*ForMarks=*/false);
  for (auto [Pair, Value] : zip_equal(Phis, Values))
    Pair.first->addIncoming(Value.Marked, From);
}

} // namespace

const char *whyNotSwitched(const Function &F) {
  for (const BasicBlock &Block : F) {
    if (Block.hasAddressTaken())
      return "it has a label whose address is taken";
    for (const Instruction &I : Block) {
      if (I.getType()->isTokenTy())
        return "it has a value that no other can take the place of";
      if (isa<CallBrInst, IndirectBrInst>(I))
        return "it has assembly that jumps, or jumps to computed addresses";
    }
  }
  return nullptr;
}

void copyForWindows(Function &F, WindowCopy &Result) {
  Result.Original = &F;
  // The copy's lines are lines of the same function.
  if (DISubprogram *Subprogram = F.getSubprogram())
    Result.Values.MD()[Subprogram].reset(Subprogram);
  Result.Copy = CloneFunction(&F, Result.Values);
}

void mergeForWindows(WindowCopy &Pair, GlobalVariable &On,
                     FunctionAnalysisManager &FAM,
                     function_ref<void(Instruction &)> MarkCovered) {
  Function &F = *Pair.Original;
  SmallVector<CallBase *, 16> Calls =
      testedCalls(F, FAM.getResult<TargetLibraryAnalysis>(F));
  SmallVector<BackwardEdge, 8> Edges = backwardEdges(F, Calls, FAM);
  FAM.clear(*Pair.Copy, Pair.Copy->getName());
  Merger(Pair, On, MarkCovered).run(Calls, Edges);
  FAM.invalidate(F, PreservedAnalyses::none());
  dropMemoryPromises(F);
  // -Wframe-larger-than means the frame that the program has without marks.
  F.removeFnAttr("warn-stack-size");
}

} // namespace pagetide

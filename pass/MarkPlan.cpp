//===- MarkPlan.cpp - Which marks, and where ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MarkPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace pagetide {
namespace {

/// Longer accesses are marked by a call of the runtime.
constexpr uint64_t MostInlineMarks = 8;

/// Transfers up to this many bytes are expanded in place at every optimisation
/// level; longer ones may become calls.
constexpr uint64_t MostBytesExpanded = 32;

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// Intrinsics that become calls of the C library.
bool isMathCall(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::acos:
  case Intrinsic::asin:
  case Intrinsic::atan:
  case Intrinsic::cos:
  case Intrinsic::cosh:
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::exp2:
  case Intrinsic::frexp:
  case Intrinsic::ldexp:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::log2:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::sin:
  case Intrinsic::sinh:
  case Intrinsic::tan:
  case Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// True where \p I is one of two loads that a select chooses from. Code
/// generation makes one load of them, from the address that is chosen, unless a
/// mark stands between.
bool isAlternative(const Instruction &I) {
  auto IsLoad = [](const Value *V) { return isa<LoadInst>(V); };
  return isa<LoadInst>(I) && any_of(I.users(), [&](const User *U) {
           auto *Choice = dyn_cast<SelectInst>(U);
           return Choice && IsLoad(Choice->getTrueValue()) &&
                  IsLoad(Choice->getFalseValue());
         });
}

/// True where marks of later accesses must not be put before \p I: it may not
/// come back, may take long, or orders memory.
bool endsSegment(const Instruction &I) {
  if (I.isAtomic() || I.isVolatile() ||
      !isGuaranteedToTransferExecutionToSuccessor(&I))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return I.getOpcode() == Instruction::FRem; // a call of fmod
  auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
  if (!Intrinsic || isMathCall(Intrinsic->getIntrinsicID()))
    return true;
  if (auto *Transfer = dyn_cast<AnyMemIntrinsic>(Intrinsic)) {
    auto *Length = dyn_cast<ConstantInt>(Transfer->getLength());
    return !Length || Length->getValue().ugt(MostBytesExpanded);
  }
  return Intrinsic->mayReadOrWriteMemory() &&
         !Intrinsic->isLifetimeStartOrEnd() &&
         !Intrinsic->onlyAccessesInaccessibleMemory();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// What is known of an address: it is Residue modulo Modulus, a power of two.
struct Congruence {
  uint64_t Modulus = 1;
  uint64_t Residue = 0;

  void learn(uint64_t OtherModulus, uint64_t OtherResidue) {
    if (OtherModulus <= Modulus)
      return;
    Modulus = OtherModulus;
    Residue = OtherResidue & (OtherModulus - 1);
  }
};

/// Accesses that mark one kind of cell, at constant offsets from one base.
///
/// A group's marks go before its first access, and so those of stores after the
/// loads that come before the first store. Earlier they would do as well, but a
/// mark between a load and a store of the same bytes is what keeps code
/// generation from making one narrow store of them that reads nothing.
struct Group {
  Instruction *First; ///< the instruction that makes the first of them
  unsigned Position;  ///< First's
  Value *Base;
  unsigned Cell;
  int64_t FirstOffset; ///< where the first of them begins
  int64_t Low, High;   ///< their lowest and highest byte
  Congruence BaseIs;

  /// Whether Low and High lie in one granule for certain.
  bool isInOneGranule(uint64_t GranuleBytes) const {
    uint64_t Known = std::min(BaseIs.Modulus, GranuleBytes);
    uint64_t Start =
        (BaseIs.Residue + static_cast<uint64_t>(Low)) & (Known - 1);
    return Start + static_cast<uint64_t>(High - Low) < Known;
  }
};

class BlockPlanner {
public:
  BlockPlanner(const PassOptions &Options, MarkMode Mode, const DataLayout &DL,
               MarkPlan &Plan)
      : Options(Options), Mode(Mode), DL(DL), Plan(Plan),
        Segment(Plan.Steps.empty() ? 0 : Plan.Steps.back().Segment + 1) {}

  void plan(BasicBlock &Block) {
    SmallVector<Access, 4> Accesses;
    for (Instruction &I : Block) {
      ++Position;
      bool Ends = endsSegment(I);
      if (Ends || isAlternative(I))
        endSegment();
      Accesses.clear();
      collectAccesses(I, Options, Accesses);
      add(I, Accesses);
      if (Ends)
        endSegment();
    }
    endSegment();
  }

private:
  bool isShort(const Access &A) const {
    return A.Form == Access::Shape::Fixed && A.Bytes <= Options.cellBytes();
  }

  void add(Instruction &I, ArrayRef<Access> Accesses) {
    if (Accesses.empty())
      return;
    if (isReplaceableTransfer(I) &&
        !all_of(Accesses, [&](const Access &A) { return isShort(A); })) {
      // In every mode, so that programs call the runtime equally often.
      addStep(MarkStep::Form::Transfer, I, Position);
      return;
    }
    if (any_of(Accesses, [](const Access &A) { return reads(A.Kind); }))
      Plan.MarkedReads.push_back(&I);
    if (Mode == MarkMode::Calls) {
      for (const Access &A : Accesses)
        addStep(MarkStep::Form::Call, I, Position).What = A;
      return;
    }
    if (Mode == MarkMode::Check)
      addChecks(I, Accesses);
    for (const Access &A : Accesses) {
      if (isShort(A))
        addToGroups(A);
      else if (A.Form == Access::Shape::Fixed)
        addLong(A);
      else
        addStep(MarkStep::Form::Shaped, I, Position).What = A;
    }
  }

  /// What a transfer touches that the runtime replaces is not checked: there is
  /// no mark before it.
  void addChecks(Instruction &I, ArrayRef<Access> Accesses) {
    if (Checks.empty())
      addStep(MarkStep::Form::CheckBegin, I, Position);
    for (const Access &A : Accesses) {
      Checks.push_back({Position, {MarkStep::Form::Check, &I, Segment}});
      Checks.back().second.What = A;
    }
  }

  MarkStep &addStep(MarkStep::Form Do, Instruction &Before, unsigned Position) {
    Steps.push_back({Position, {Do, &Before, Segment}});
    return Steps.back().second;
  }

  void addByte(Instruction &Before, unsigned Position, Value *Address,
               int64_t Offset, unsigned Cell) {
    MarkStep &Step = addStep(MarkStep::Form::Byte, Before, Position);
    Step.Address = Address;
    Step.Offset = Offset;
    Step.Cell = Cell;
  }

  /// An access of more than a granule.
  void addLong(const Access &A) {
    uint64_t GranuleBytes = Options.cellBytes();
    if (A.Bytes > (MostInlineMarks - 1) * GranuleBytes) {
      addStep(MarkStep::Form::Long, *A.At, Position).What = A;
      return;
    }
    for (unsigned Cell : cellsOf(A.Kind, Options.Layout)) {
      for (uint64_t Byte = 0; Byte < A.Bytes; Byte += GranuleBytes)
        addByte(*A.At, Position, A.Address, A.Offset + Byte, Cell);
      // Where the steps from the first byte on miss the granules' borders, the
      // last byte may lie in one more.
      if (A.Alignment.value() < GranuleBytes || Options.DistrustAlignment)
        addByte(*A.At, Position, A.Address, A.Offset + A.Bytes - 1, Cell);
    }
  }

  void addToGroups(const Access &A) {
    APInt Constant(64, A.Offset, /*isSigned=*/true);
    Value *Base = A.Address->stripAndAccumulateConstantOffsets(
        DL, Constant, /*AllowNonInbounds=*/true);
    for (unsigned Cell : cellsOf(A.Kind, Options.Layout))
      addToGroup(A, Base, Constant.getSExtValue(), Cell);
  }

  void addToGroup(const Access &A, Value *Base, int64_t Offset, unsigned Cell) {
    int64_t Last = Offset + static_cast<int64_t>(A.Bytes) - 1;
    auto [Place, IsNew] = OpenGroups.try_emplace({Base, Cell}, 0);
    if (!IsNew) {
      Group &G = Groups[Place->second];
      int64_t Low = std::min(G.Low, Offset), High = std::max(G.High, Last);
      if (static_cast<uint64_t>(High - Low) < Options.cellBytes()) {
        G.Low = Low;
        G.High = High;
        learnFrom(A, Offset, G.BaseIs);
        return;
      }
      // Out of reach of the group there is: a new one takes its place.
    }
    Place->second = Groups.size();
    Groups.push_back(
        {A.At, Position, Base, Cell, Offset, Offset, Last, Congruence()});
    Congruence &BaseIs = Groups.back().BaseIs;
    BaseIs.learn(Base->getPointerAlignment(DL).value(), 0);
    learnFrom(A, Offset, BaseIs);
  }

  /// An access at \p Offset from the base promises its own alignment.
  void learnFrom(const Access &A, int64_t Offset, Congruence &BaseIs) const {
    if (!Options.DistrustAlignment)
      BaseIs.learn(A.Alignment.value(), -static_cast<uint64_t>(Offset));
  }

  void endSegment() {
    for (const Group &G : Groups) {
      if (G.isInOneGranule(Options.cellBytes())) {
        // Any byte of it will do: the first access's own address is at hand.
        addByte(*G.First, G.Position, G.Base, G.FirstOffset, G.Cell);
        continue;
      }
      addByte(*G.First, G.Position, G.Base, G.Low, G.Cell);
      addByte(*G.First, G.Position, G.Base, G.High, G.Cell);
    }
    // Checks stand between the marks before an instruction and the instruction.
    Steps.insert(Steps.end(), Checks.begin(), Checks.end());
    SmallVector<unsigned, 16> Order(Steps.size());
    std::iota(Order.begin(), Order.end(), 0);
    llvm::sort(Order, [&](unsigned A, unsigned B) {
      return std::pair(Steps[A].first, A) < std::pair(Steps[B].first, B);
    });
    for (unsigned I : Order)
      Plan.Steps.push_back(Steps[I].second);
    Steps.clear();
    Checks.clear();
    Groups.clear();
    OpenGroups.clear();
    ++Segment;
  }

  const PassOptions &Options;
  MarkMode Mode;
  const DataLayout &DL;
  MarkPlan &Plan;

  unsigned Position = 0; ///< of the instruction at hand, in its block
  unsigned Segment;
  /// Of the segment, with the positions of the instructions they go before.
  std::vector<std::pair<unsigned, MarkStep>> Steps, Checks;
  SmallVector<Group, 16> Groups;
  SmallDenseMap<std::pair<Value *, unsigned>, unsigned, 16> OpenGroups;
};

} // namespace

SmallVector<unsigned, 2> cellsOf(AccessKind Kind, abi::Layout Layout) {
  SmallVector<unsigned, 2> Cells;
  if (reads(Kind) && abi::records_reads(Layout))
    Cells.push_back(abi::read_cell(Layout));
  if (writes(Kind) && !is_contained(Cells, abi::write_cell(Layout)))
    Cells.push_back(abi::write_cell(Layout));
  return Cells;
}

void planMarks(BasicBlock &Block, const PassOptions &Options, MarkMode Mode,
               MarkPlan &Plan) {
  BlockPlanner(Options, Mode, Block.getModule()->getDataLayout(), Plan)
      .plan(Block);
}

} // namespace pagetide

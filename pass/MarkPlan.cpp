//===- MarkPlan.cpp - Which marks, and where ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MarkPlan.h"

#include "AddressForms.h"
#include "ByteExtents.h"
#include "Expansion.h"
#include "PlainAddresses.h"
#include "ReturnAddresses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace pagetide {
namespace {

/// Longer accesses are marked by a call of the runtime.
constexpr uint64_t MaxInlineMarks = 8;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Accesses that mark one kind of cell, at addresses of one form.
///
/// A group's marks go before its first access. So marks of stores go after the
/// loads that precede the first store. If a store updates what was loaded, its
/// mark goes before that load, so that code generation can merge the two into
/// one instruction. Partial updates are the exception: a mark between load and
/// store prevents one narrow store that reads nothing.
struct Group {
  Instruction *First; ///< makes the first access, or loads what that updates
  Instruction *Site;  ///< makes the first access
  unsigned Position;  ///< of First in its block
  Value *Base;        ///< the first access's address is an offset from it
  int64_t BaseOffset; ///< of Base, from the form's origin
  unsigned AddressForm;
  unsigned Cell;
  int64_t FirstOffset; ///< of the first access's first byte
  ByteExtent Bytes;
  bool NeedsOwnMark; ///< even if an earlier mark covers it
  bool IsApart;      ///< its mark must stay where it is (pairMarks)
};

/// True if a constant says which bits \p Update sets or clears.
bool setsOrClearsBits(const Instruction &Update) {
  return (Update.getOpcode() == Instruction::And ||
          Update.getOpcode() == Instruction::Or) &&
         isa<Constant>(Update.getOperand(1));
}

/// The load of what the store \p I changes, if code generation may merge the
/// two; otherwise null. With \p AndReads, only if the merged instruction still
/// reads. If a constant sets or clears bits, it may become a narrow store of
/// these bits.
Instruction *updatedLoad(Instruction &I, bool AndReads) {
  using namespace PatternMatch;
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store)
    return nullptr;
  auto *Update = dyn_cast<BinaryOperator>(Store->getValueOperand());
  if (!Update || !Update->hasOneUse())
    return nullptr;
  if (AndReads && setsOrClearsBits(*Update))
    return nullptr;
  for (Value *Operand : Update->operands())
    if (match(Operand,
              m_OneUse(m_Load(m_Specific(Store->getPointerOperand())))))
      return cast<Instruction>(Operand);
  return nullptr;
}

/// True if code generation may make less of the store in \p A and of the load
/// that it updates, unless a mark is between them. It may leave the load out,
/// write only what changes, or leave out both if what was loaded is stored
/// back.
bool needsMarkBehindLoad(const Access &A, bool MayStraddle) {
  using namespace PatternMatch;
  auto *Store = dyn_cast<StoreInst>(A.At);
  if (!Store)
    return false;
  auto IsLoaded = [&](Value *V) {
    return match(V, m_Load(m_Specific(Store->getPointerOperand())));
  };
  Value *Stored = Store->getValueOperand();
  if (IsLoaded(Stored) || isPartialUpdate(*Store))
    return true;
  auto *Made = dyn_cast<Instruction>(Stored);
  if (!Made || none_of(Made->operands(), IsLoaded))
    return false;
  // Arithmetic needs all of what it updates. Constants that set or clear bits
  // do not.
  return !isa<BinaryOperator>(Made) || setsOrClearsBits(*Made) || MayStraddle;
}

/// True if \p A can be in one group with others: it has shape Fixed and no more
/// bytes than a cell.
bool isShort(const Access &A, const PassOptions &Options) {
  return A.Shape == AccessShape::Fixed && A.Bytes <= Options.cellBytes();
}

/// A value and a constant: the first byte of \p A is that many bytes after it.
std::pair<Value *, int64_t> baseOf(const Access &A, const DataLayout &DL) {
  APInt Offset(64, A.Offset, /*isSigned=*/true);
  Value *Base = A.Address->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

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

class BlockPlanner {
public:
  BlockPlanner(const FunctionAccesses &InFunction, const Expansion &Known,
               const PassOptions &Options, MarkMode Mode, const DataLayout &DL,
               const ChunkedAccesses &Chunked, AddressForms &Forms,
               ReturnAddresses &Returns, MarkedExtents Marked, bool BeginsLoop,
               DenseSet<FormAndCell> &EverMarked, MarkPlan &Plan)
      : InFunction(InFunction), Known(Known), Options(Options), Mode(Mode),
        DL(DL), Chunked(Chunked), Forms(Forms), Returns(Returns),
        BeginsLoop(BeginsLoop), EverMarked(EverMarked), Plan(Plan),
        Marked(std::move(Marked)),
        Segment(Plan.Steps.empty() ? 0 : Plan.Steps.back().Segment + 1) {}

  /// Returns what is marked at the block's end.
  MarkedExtents plan(BasicBlock &Block) {
    for (Instruction &I : Block) {
      ++Position;
      bool Ends = endsSegment(I, Known);
      if (Ends || isAlternative(I))
        endSegment();
      if (Ends)
        forgetMarked();
      ArrayRef<Access> Accesses = InFunction.of(I);
      if (isa<LoadInst>(I)) {
        Loads[&I] = Position;
        if (Mode == MarkMode::Check)
          beginChecks(I); // a store's mark may go before the load
      }
      if (!Chunked.Instructions.contains(&I))
        add(I, Accesses);
      else if (Mode == MarkMode::Check)
        addChecks(I, Accesses);
      if (Options.Frames && Returns.isWrittenBy(I))
        addStep(MarkStepKind::ReturnAddress, I, Position);
      if (Ends) {
        endSegment();
        forgetMarked();
      }
    }
    endSegment();
    return std::move(Marked);
  }

private:
  /// The largest distance between bytes of a group: a cell in both precisions.
  uint64_t reach() const { return Options.cellBytes(); }

  void add(Instruction &I, ArrayRef<Access> Accesses) {
    if (Accesses.empty())
      return;
    if (isReplaceableTransfer(I) &&
        !(Known.isInPlace(I) && all_of(Accesses, [&](const Access &A) {
            return isShort(A, Options);
          }))) {
      // In every mode, so that programs call the runtime equally often.
      addStep(MarkStepKind::Transfer, I, Position);
      return;
    }
    if (any_of(Accesses, [](const Access &A) { return reads(A.Kind); }))
      Plan.MarkedReads.push_back(&I);
    if (Mode == MarkMode::Calls) {
      for (const Access &A : Accesses)
        addStep(MarkStepKind::Call, I, Position).What = A;
      return;
    }
    if (Mode == MarkMode::Check)
      addChecks(I, Accesses);
    for (const Access &A : Accesses) {
      if (isShort(A, Options))
        addToGroups(A);
      else if (A.Shape == AccessShape::Fixed)
        addLong(A);
      else
        addStep(MarkStepKind::Shaped, I, Position).What = A;
    }
    if (auto *Store = dyn_cast<StoreInst>(&I))
      StoredTo.insert(Store->getPointerOperand());
  }

  /// If the runtime replaces a transfer, its accesses are not checked, because
  /// there is no mark before it.
  void addChecks(Instruction &I, ArrayRef<Access> Accesses) {
    beginChecks(I);
    for (const Access &A : Accesses) {
      Checks.push_back({Position, {MarkStepKind::Check, &I, Segment}});
      Checks.back().second.What = A;
    }
  }

  /// Marks that were made on the path to this place, or before a chunk, belong
  /// to an earlier beginning of checks.
  void beginChecks(Instruction &I) {
    if (!ChecksBegun && Marked.empty() &&
        !Chunked.Bodies.contains(I.getParent()))
      addStep(MarkStepKind::CheckBegin, I, Position);
    ChecksBegun = true;
  }

  MarkStep &addStep(MarkStepKind Kind, Instruction &Before, unsigned Position) {
    Steps.push_back({Position, {Kind, &Before, Segment}});
    return Steps.back().second;
  }

  MarkStep &addByte(Instruction &Before, Instruction &Site, unsigned Position,
                    Value *Address, int64_t Offset, unsigned Cell) {
    MarkStep &Step = addStep(MarkStepKind::Byte, Before, Position);
    Step.Site = &Site;
    Step.Address = Address;
    Step.Offset = Offset;
    Step.Cell = Cell;
    return Step;
  }

  /// An access of more than a granule.
  void addLong(const Access &A) {
    uint64_t GranuleBytes = Options.granuleBytes();
    if (A.Bytes > (MaxInlineMarks - 1) * GranuleBytes) {
      addStep(MarkStepKind::Long, *A.At, Position).What = A;
      return;
    }
    for (unsigned Cell : cellsOf(A.Kind, Options.Layout)) {
      for (uint64_t Byte = 0; Byte < A.Bytes; Byte += GranuleBytes)
        addByte(*A.At, *A.At, Position, A.Address, A.Offset + Byte, Cell);
      // If the first byte is not at a granule's beginning, the last byte may be
      // in one granule more.
      if (A.Alignment.value() < GranuleBytes || Options.DistrustAlignment)
        addByte(*A.At, *A.At, Position, A.Address, A.Offset + A.Bytes - 1,
                Cell);
    }
  }

  void addToGroups(const Access &A) {
    auto [Base, Offset] = baseOf(A, DL);
    AddressForms::Place BaseIs = Forms.find(Base);
    for (unsigned Cell : cellsOf(A.Kind, Options.Layout))
      addToGroup(A, Base, BaseIs, Offset + BaseIs.Offset, Cell);
  }

  void addToGroup(const Access &A, Value *Base,
                  const AddressForms::Place &BaseIs, int64_t Offset,
                  unsigned Cell) {
    ByteExtent Bytes = {Offset, Offset + static_cast<int64_t>(A.Bytes) - 1, {}};
    learnFrom(A, Offset, Bytes.BaseIs);
    bool NeedsOwnMark = abi::plain_layout(Options.Layout) == abi::Layout::kRw &&
                        writes(A.Kind) && isPartialUpdate(*A.At);
    auto [Place, IsNew] = OpenGroups.try_emplace({BaseIs.Form, Cell}, 0);
    if (!IsNew && !NeedsOwnMark && Options.Groups) {
      Group &G = Groups[Place->second];
      ByteExtent Joined = G.Bytes.joined(Bytes);
      if (Joined.isWithin(reach())) {
        G.Bytes = Joined;
        G.IsApart |= keepsApart(A);
        return;
      }
      // Too far from the open group: a new one replaces it.
    }
    Place->second = Groups.size();
    Bytes.BaseIs.learn(Base->getPointerAlignment(DL).value(),
                       -static_cast<uint64_t>(BaseIs.Offset));
    auto [First, FirstPosition] = placeFor(A, NeedsOwnMark);
    Groups.push_back({First, A.At, FirstPosition, Base, BaseIs.Offset,
                      BaseIs.Form, Cell, Offset, Bytes, NeedsOwnMark,
                      keepsApart(A)});
  }

  /// True if the mark of \p A keeps code generation from making less of \p A
  /// and an access before it.
  bool keepsApart(const Access &A) const {
    if (auto *Load = dyn_cast<LoadInst>(A.At)) // it might take what was stored
      return StoredTo.contains(Load->getPointerOperand());
    return needsMarkBehindLoad(A, mayStraddle(A));
  }

  /// True if \p A may be in two granules although it is short.
  bool mayStraddle(const Access &A) const {
    return A.Alignment.value() < A.Bytes || Options.DistrustAlignment;
  }

  /// The instruction before which the mark of \p A goes, and its position. An
  /// access that may be in two granules has its mark right before it: code
  /// generation may narrow an update to the bytes that change.
  std::pair<Instruction *, unsigned> placeFor(const Access &A,
                                              bool NeedsOwnMark) const {
    if (!NeedsOwnMark && !mayStraddle(A))
      if (Instruction *Load =
              updatedLoad(*A.At, abi::records_reads(Options.Layout)))
        if (auto Found = Loads.find(Load); Found != Loads.end())
          return {Found->first, Found->second};
    return {A.At, Position};
  }

  /// An access at \p Offset from the base promises its own alignment.
  void learnFrom(const Access &A, int64_t Offset, Congruence &BaseIs) const {
    if (!Options.DistrustAlignment)
      BaseIs.learn(A.Alignment.value(), -static_cast<uint64_t>(Offset));
  }

  /// Marks the byte at \p Offset from the origin of the form of \p G.
  MarkStep &addByte(const Group &G, int64_t Offset) {
    MarkStep &Step = addByte(*G.First, *G.Site, G.Position, G.Base,
                             Offset - G.BaseOffset, G.Cell);
    Step.IsApart = G.IsApart;
    return Step;
  }

  void markGroup(const Group &G) {
    countRepeated(G);
    if (Options.isNear())
      return markGroupNear(G);
    uint64_t GranuleBytes = Options.granuleBytes();
    auto Before = Marked.find({G.AddressForm, G.Cell});
    if (Before != Marked.end() && !G.NeedsOwnMark && Options.MarkedPaths) {
      ByteExtent Joined = Before->second.joined(G.Bytes);
      if (Joined.isWithin(GranuleBytes)) {
        if (!Joined.isInOneGranule(GranuleBytes)) {
          if (G.Bytes.Low < Before->second.Low)
            addByte(G, G.Bytes.Low);
          if (G.Bytes.High > Before->second.High)
            addByte(G, G.Bytes.High);
        }
        Before->second = Joined;
        return;
      }
    }
    if (G.Bytes.isInOneGranule(GranuleBytes)) {
      // Any byte will do. The first access's own address is already computed.
      addByte(G, G.FirstOffset);
    } else {
      addByte(G, G.Bytes.Low);
      addByte(G, G.Bytes.High);
    }
    setMarked(G, G.Bytes);
  }

  void forgetMarked() {
    Marked.clear();
    IsBehindCall = true;
  }

  /// Counts the mark of \p G if it has no mark on all paths here, but has one
  /// elsewhere.
  void countRepeated(const Group &G) {
    if (Marked.contains({G.AddressForm, G.Cell}) ||
        EverMarked.insert({G.AddressForm, G.Cell}).second)
      return;
    RepeatedMarks &Repeated = Plan.Repeated;
    ++(IsBehindCall ? Repeated.BehindCalls
       : BeginsLoop ? Repeated.InLoops
                    : Repeated.AtJoins);
  }

  void setMarked(const Group &G, const ByteExtent &Bytes) {
    FormAndCell Key = {G.AddressForm, G.Cell};
    if (Marked.size() < MaxMarkedExtents || Marked.contains(Key))
      Marked[Key] = Bytes;
  }

  void markGroupNear(const Group &G) {
    auto Before = Marked.find({G.AddressForm, G.Cell});
    if (Before != Marked.end() && !G.NeedsOwnMark && Options.MarkedPaths &&
        Before->second.Low <= G.Bytes.Low &&
        G.Bytes.High <= Before->second.High) {
      for (unsigned Mark : Before->second.NearMarks)
        Plan.NearMarks[Mark].ServesOthers = true;
      return;
    }
    auto Reach = static_cast<int64_t>(reach());
    bool IsAtBase =
        G.Bytes.Low >= G.BaseOffset && G.Bytes.High - G.BaseOffset < Reach;
    int64_t At = IsAtBase ? G.BaseOffset : G.Bytes.Low;
    unsigned Mark = Plan.NearMarks.size();
    MarkStep &Step = addByte(G, At);
    Step.IsNear = true;
    Step.NearMark = Mark;
    Plan.NearMarks.push_back({certainOffset(G, At)});
    setMarked(G, {At, At + Reach - 1, {}, {Mark}});
  }

  /// The offset, from the base, of a byte in the granule that holds all of \p
  /// G. It is that of \p At if \p At is in that granule. std::nullopt if \p G
  /// may be in two granules.
  std::optional<int64_t> certainOffset(const Group &G, int64_t At) const {
    uint64_t GranuleBytes = Options.granuleBytes();
    ByteExtent WithAt = {std::min(At, G.Bytes.Low), std::max(At, G.Bytes.High),
                         G.Bytes.BaseIs};
    if (WithAt.isInOneGranule(GranuleBytes))
      return At - G.BaseOffset;
    if (G.Bytes.isInOneGranule(GranuleBytes))
      return G.FirstOffset - G.BaseOffset;
    return std::nullopt;
  }

  void endSegment() {
    for (const Group &G : Groups)
      markGroup(G);
    // Checks go between the marks of an instruction and the instruction.
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
    Loads.clear();
    StoredTo.clear();
    ChecksBegun = false;
    ++Segment;
  }

  const FunctionAccesses &InFunction;
  const Expansion &Known;
  const PassOptions &Options;
  MarkMode Mode;
  const DataLayout &DL;
  const ChunkedAccesses &Chunked;
  AddressForms &Forms;
  ReturnAddresses &Returns;
  bool BeginsLoop;
  DenseSet<FormAndCell> &EverMarked; ///< marked somewhere in the function
  MarkPlan &Plan;
  MarkedExtents Marked;
  bool IsBehindCall = false;

  unsigned Position = 0; ///< of the current instruction, in its block
  unsigned Segment;
  /// Those of the segment, with the positions of the instructions that they
  /// precede.
  std::vector<std::pair<unsigned, MarkStep>> Steps, Checks;
  bool ChecksBegun = false;
  SmallDenseMap<Instruction *, unsigned, 16> Loads; ///< and their positions
  SmallPtrSet<const Value *, 8> StoredTo;           ///< in the segment
  SmallVector<Group, 16> Groups;
  SmallDenseMap<FormAndCell, unsigned, 16> OpenGroups;
};

} // namespace

/// If a near mark serves only accesses in one granule, makes it certain, unless
/// that costs something. It does if marks of one address, which share its
/// index, would then need two indices.
static void makeCertain(MarkPlan &Plan) {
  using Place = std::pair<unsigned, std::pair<Value *, int64_t>>;
  struct Offsets {
    std::optional<int64_t> Certain;
    bool Differ = false;
  };
  auto PlaceOf = [](const MarkStep &Step) {
    return Place{Step.Segment, {Step.Address, Step.Offset}};
  };
  DenseMap<Place, Offsets> AtPlace;
  for (const MarkStep &Step : Plan.Steps) {
    if (!Step.IsNear)
      continue;
    const NearMark &Mark = Plan.NearMarks[Step.NearMark];
    auto [At, IsNew] = AtPlace.try_emplace(PlaceOf(Step));
    if (IsNew)
      At->second.Certain = Mark.CertainOffset;
    At->second.Differ |= Mark.ServesOthers || !Mark.CertainOffset ||
                         At->second.Certain != Mark.CertainOffset;
  }
  for (MarkStep &Step : Plan.Steps) {
    if (!Step.IsNear)
      continue;
    const Offsets &Found = AtPlace[PlaceOf(Step)];
    if (Found.Differ)
      continue;
    Step.IsNear = false;
    Step.Offset = *Found.Certain;
  }
}

/// Lets one store mark a read and a write of one place, if both marks belong to
/// one segment. It goes where the first of the two was.
static void pairMarks(MarkPlan &Plan) {
  using Place =
      std::pair<std::pair<unsigned, unsigned>, std::pair<Value *, int64_t>>;
  DenseMap<Place, size_t> FirstAt;
  std::vector<MarkStep> Kept;
  for (const MarkStep &Step : Plan.Steps) {
    if (Step.Kind == MarkStepKind::Byte && !Step.IsApart) {
      unsigned IsNear = Step.IsNear ? 1 : 0;
      auto [At, IsNew] = FirstAt.try_emplace(
          {{Step.Segment, IsNear}, {Step.Address, Step.Offset}}, Kept.size());
      if (!IsNew) {
        MarkStep &First = Kept[At->second];
        First.IsPair |= First.Cell != Step.Cell;
        continue;
      }
    }
    Kept.push_back(Step);
  }
  Plan.Steps = std::move(Kept);
}

bool endsSegment(const Instruction &I, const Expansion &Known) {
  return I.isAtomic() || I.isVolatile() ||
         !isGuaranteedToTransferExecutionToSuccessor(&I) || !Known.isInPlace(I);
}

bool isAlternative(const Instruction &I) {
  auto IsLoad = [](const Value *V) { return isa<LoadInst>(V); };
  return isa<LoadInst>(I) && any_of(I.users(), [&](const User *U) {
           auto *Choice = dyn_cast<SelectInst>(U);
           return Choice && IsLoad(Choice->getTrueValue()) &&
                  IsLoad(Choice->getFalseValue());
         });
}

SmallVector<unsigned, 2> cellsOf(AccessKind Kind, abi::Layout Layout) {
  SmallVector<unsigned, 2> Cells;
  if (reads(Kind) && abi::records_reads(Layout))
    Cells.push_back(abi::read_cell(Layout));
  if (writes(Kind) && !is_contained(Cells, abi::write_cell(Layout)))
    Cells.push_back(abi::write_cell(Layout));
  return Cells;
}

bool isPartialUpdate(const Instruction &I) {
  using namespace PatternMatch;
  auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->getValueOperand()->getType()->isIntegerTy() &&
         match(Store->getValueOperand(),
               m_c_Or(m_And(m_Load(m_Specific(Store->getPointerOperand())),
                            m_Value()),
                      m_Value()));
}

void planMarks(Function &F, const FunctionAccesses &Accesses,
               const Expansion &Known, const PassOptions &Options,
               MarkMode Mode, const ChunkedAccesses &Chunked, MarkPlan &Plan) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  DenseMap<const BasicBlock *, MarkedExtents> AtEnd;
  DenseSet<FormAndCell> EverMarked;
  AddressForms Forms(DL, Options.AddressForms);
  ReturnAddresses Returns(F);
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
        BlockPlanner(Accesses, Known, Options, Mode, DL, Chunked, Forms,
                     Returns, std::move(Marked), BeginsLoop, EverMarked, Plan)
            .plan(Block);
  };
  for (BasicBlock *Block : ReversePostOrderTraversal(&F))
    PlanBlock(*Block);
  for (BasicBlock &Block : F)
    if (!AtEnd.contains(&Block)) // never reached
      PlanBlock(Block);
  makeCertain(Plan);
  if (Options.Layout == abi::Layout::kRw && Options.Pairs)
    pairMarks(Plan);
}

} // namespace pagetide

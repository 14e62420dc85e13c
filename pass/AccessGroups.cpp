//===- AccessGroups.cpp - Accesses that share marks -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AccessGroups.h"

#include "MergedAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <utility>

using namespace llvm;

namespace pagetide {

bool isShort(const Access &A, const PassOptions &Options) {
  return A.Shape == AccessShape::Fixed && A.Bytes <= Options.cellBytes();
}

/// A value and a constant: the first byte of \p A is that many bytes after it.
static std::pair<Value *, int64_t> baseOf(const Access &A,
                                          const DataLayout &DL) {
  APInt Offset(64, A.Offset, /*isSigned=*/true);
  Value *Base = A.Address->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

void AccessGroups::add(const Access &A, Position At) {
  auto [Base, Offset] = A.Part.Object ? std::pair(A.Part.Object, A.Part.Low)
                                      : baseOf(A, Function.DL);
  AddressForms::Place BaseIs = Function.Forms.find(Base);
  for (unsigned Cell : cellsOf(A.Kind, Options.Layout))
    addToGroup(A, Base, BaseIs, Offset + BaseIs.Offset, Cell, At);
}

void AccessGroups::addToGroup(const Access &A, Value *Base,
                              const AddressForms::Place &BaseIs, int64_t Offset,
                              unsigned Cell, Position At) {
  bool IsPart = A.Part.Object;
  uint64_t Count = IsPart ? A.Part.Bytes : A.Bytes;
  ByteExtent Bytes = {Offset, Offset + static_cast<int64_t>(Count) - 1, {}};
  if (!IsPart)
    learnFrom(A, Offset, Bytes.BaseIs);
  bool NeedsOwnMark = abi::plain_layout(Options.Layout) == abi::Layout::kRw &&
                      writes(A.Kind) && isPartialUpdate(*A.At);
  auto [Open, IsNew] = OpenGroups.try_emplace({BaseIs.Form, Cell}, 0);
  if (!IsNew && !NeedsOwnMark && Options.Groups) {
    Group &G = Groups[Open->second];
    ByteExtent Joined = G.Bytes.joined(Bytes);
    if (Joined.isWithin(Options.cellBytes()) || G.Bytes.contains(Bytes)) {
      G.Bytes = Joined;
      G.HasPart |= IsPart;
      G.IsApart |= keepsApart(A);
      return;
    }
    // Too far from the open group: a new one replaces it.
  }
  Open->second = Groups.size();
  Bytes.BaseIs.learn(Base->getPointerAlignment(Function.DL).value(),
                     -static_cast<uint64_t>(BaseIs.Offset));
  Groups.push_back({placeFor(A, At, NeedsOwnMark), A.At, Base, BaseIs.Offset,
                    BaseIs.Form, Cell, Offset, Bytes, NeedsOwnMark,
                    keepsApart(A), IsPart});
}

/// True if the mark of \p A keeps code generation from making less of \p A and
/// an access before it.
bool AccessGroups::keepsApart(const Access &A) const {
  if (auto *Load = dyn_cast<LoadInst>(A.At)) // it might take what was stored
    return StoredTo.contains(Load->getPointerOperand());
  return needsMarkBehindLoad(*A.At, mayStraddle(A));
}

/// True if \p A may be in two granules although it is short.
bool AccessGroups::mayStraddle(const Access &A) const {
  return A.Alignment.value() < A.Bytes || Options.DistrustAlignment;
}

/// Where the mark of \p A goes. An access that may be in two granules has its
/// mark right before it: code generation may narrow an update to the bytes that
/// change.
Position AccessGroups::placeFor(const Access &A, Position At,
                                bool NeedsOwnMark) const {
  if (!NeedsOwnMark && !mayStraddle(A))
    if (Instruction *Load =
            updatedLoad(*A.At, abi::records_reads(Options.Layout)))
      if (auto Found = Loads.find(Load); Found != Loads.end())
        return {Found->first, Found->second};
  return At;
}

/// An access at \p Offset from the base promises its own alignment.
void AccessGroups::learnFrom(const Access &A, int64_t Offset,
                             Congruence &BaseIs) const {
  if (!Options.DistrustAlignment)
    BaseIs.learn(A.Alignment.value(), -static_cast<uint64_t>(Offset));
}

/// Marks the byte at \p Offset from the origin of the form of \p G.
MarkStep &AccessGroups::addByte(const Group &G, int64_t Offset,
                                SegmentSteps &Steps) {
  MarkStep &Step =
      Steps.addByte(G.First, *G.Site, G.Base, Offset - G.BaseOffset, G.Cell);
  Step.IsApart = G.IsApart;
  return Step;
}

void AccessGroups::mark(const Group &G, SegmentSteps &Steps) {
  countRepeated(G);
  if (Options.isNear())
    markNear(G, Steps);
  else
    markExact(G, Steps);
}

void AccessGroups::markExact(const Group &G, SegmentSteps &Steps) {
  uint64_t GranuleBytes = Options.granuleBytes();
  auto Before = Marked.find({G.AddressForm, G.Cell});
  if (Before != Marked.end() && !G.NeedsOwnMark && Options.MarkedPaths) {
    ByteExtent Joined = Before->second.joined(G.Bytes);
    if (Joined.isWithin(GranuleBytes)) {
      if (!Joined.isInOneGranule(GranuleBytes)) {
        if (G.Bytes.Low < Before->second.Low)
          addByte(G, G.Bytes.Low, Steps);
        if (G.Bytes.High > Before->second.High)
          addByte(G, G.Bytes.High, Steps);
      }
      Before->second = Joined;
      Before->second.LastUse = ++Function.Uses;
      return;
    }
  }
  if (G.Bytes.isInOneGranule(GranuleBytes)) {
    // Any byte will do. The first access's own address is already computed.
    addByte(G, G.FirstOffset, Steps);
  } else {
    addByte(G, G.Bytes.Low, Steps);
    addByte(G, G.Bytes.High, Steps);
  }
  setMarked(G, G.Bytes);
}

/// Counts the mark of \p G if it has no mark on all paths here, but has one
/// elsewhere.
void AccessGroups::countRepeated(const Group &G) {
  FormAndCell Key = {G.AddressForm, G.Cell};
  if (Marked.contains(Key) || Function.EverMarked.insert(Key).second)
    return;
  RepeatedMarks &Repeated = Function.Plan.Repeated;
  ++(IsBehindCall ? Repeated.BehindCalls
     : BeginsLoop ? Repeated.InLoops
                  : Repeated.AtJoins);
}

void AccessGroups::setMarked(const Group &G, ByteExtent Bytes) {
  FormAndCell Key = {G.AddressForm, G.Cell};
  if (Marked.size() == MaxMarkedExtents && !Marked.contains(Key))
    Marked.erase(std::min_element(Marked.begin(), Marked.end(),
                                  [](const auto &A, const auto &B) {
                                    return A.second.LastUse < B.second.LastUse;
                                  }));
  Bytes.LastUse = ++Function.Uses;
  Marked[Key] = std::move(Bytes);
}

void AccessGroups::markNear(const Group &G, SegmentSteps &Steps) {
  std::vector<NearMark> &NearMarks = Function.Plan.NearMarks;
  auto Before = Marked.find({G.AddressForm, G.Cell});
  if (Before != Marked.end() && !G.NeedsOwnMark && Options.MarkedPaths &&
      Before->second.contains(G.Bytes)) {
    for (unsigned Mark : Before->second.NearMarks)
      NearMarks[Mark].ServesOthers = true;
    Before->second.LastUse = ++Function.Uses;
    return;
  }
  if (G.HasPart && G.Bytes.isInOneGranule(Options.granuleBytes())) {
    addByte(G, G.Bytes.Low, Steps);
    setMarked(G, G.Bytes);
    return;
  }
  auto Reach = static_cast<int64_t>(Options.cellBytes());
  bool IsAtBase =
      G.Bytes.Low >= G.BaseOffset && G.Bytes.High - G.BaseOffset < Reach;
  int64_t At = IsAtBase ? G.BaseOffset : G.Bytes.Low;
  unsigned Mark = NearMarks.size();
  MarkStep &Step = addByte(G, At, Steps);
  Step.IsNear = true;
  Step.NearMark = Mark;
  NearMarks.push_back({certainOffset(G, At)});
  setMarked(G, {At, At + Reach - 1, {}, {Mark}});
}

/// The offset, from the base, of a byte in the granule that holds all of \p G.
/// It is that of \p At if \p At is in that granule. std::nullopt if \p G may be
/// in two granules.
std::optional<int64_t> AccessGroups::certainOffset(const Group &G,
                                                   int64_t At) const {
  uint64_t GranuleBytes = Options.granuleBytes();
  ByteExtent WithAt = {std::min(At, G.Bytes.Low), std::max(At, G.Bytes.High),
                       G.Bytes.BaseIs};
  if (WithAt.isInOneGranule(GranuleBytes))
    return At - G.BaseOffset;
  if (G.Bytes.isInOneGranule(GranuleBytes))
    return G.FirstOffset - G.BaseOffset;
  return std::nullopt;
}

void AccessGroups::end(SegmentSteps &Steps) {
  for (const Group &G : Groups)
    mark(G, Steps);
  Function.Plan.Groups += Groups.size();
  Groups.clear();
  OpenGroups.clear();
  Loads.clear();
  StoredTo.clear();
}

} // namespace pagetide

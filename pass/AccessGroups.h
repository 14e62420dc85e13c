//===- AccessGroups.h - Accesses that share marks ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within a segment, accesses at addresses of one form (AddressForms.h) differ
// by constants. They form groups that span at most one granule's size. Then all
// bytes of a group are in the granules of its first and its last byte. So two
// marks cover it, or one if alignment shows that both bytes are in one granule.
// What every path to a segment has marked is not marked again.
//
// With precision near, cells are smaller than granules. One near mark at an
// address serves all accesses within a cell's size of it: they are in its cell
// or the next one. It needs no alignment. If the mark is at the base itself,
// all fields near the base share it.

#pragma once

#include "AddressForms.h"
#include "ByteExtents.h"
#include "SegmentSteps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class DataLayout;
} // namespace llvm

namespace pagetide {

/// What the blocks of a function share while they are planned.
struct FunctionPlan {
  const FunctionToMark &Input;
  const llvm::DataLayout &DL;
  AddressForms Forms;
  llvm::DenseSet<FormAndCell> EverMarked; ///< somewhere in the function
  uint64_t Uses;                          ///< of what is marked, until now
  MarkPlan Plan;
};

/// True if \p A can be in one group with others: it has shape Fixed and no more
/// bytes than a cell.
bool isShort(const Access &A, const PassOptions &Options);

/// The short accesses of one segment, and what has been marked before it.
class AccessGroups {
public:
  /// For a block. Every path to it has marked \p Marked. \p BeginsLoop says
  /// that not all of these paths are planned yet.
  AccessGroups(FunctionPlan &Function, MarkedExtents Marked, bool BeginsLoop)
      : Function(Function), Options(Function.Input.Options),
        Marked(std::move(Marked)), BeginsLoop(BeginsLoop) {}

  /// Adds \p A, which is short and made at \p At.
  void add(const Access &A, Position At);
  void noteLoad(Position Load) { Loads[Load.I] = Load.Number; }
  void noteStore(const llvm::Value *Pointer) { StoredTo.insert(Pointer); }

  /// Adds the marks of all groups to \p Steps, and begins the next segment.
  void end(SegmentSteps &Steps);

  /// A call may take long: what was marked before it does not count behind it.
  void forgetMarked() {
    Marked.clear();
    IsBehindCall = true;
  }

  /// What is marked here on every path.
  const MarkedExtents &marked() const { return Marked; }

private:
  /// Accesses that mark one kind of cell, at addresses of one form.
  ///
  /// A group's marks go before its first access. So marks of stores go after
  /// the loads that precede the first store. If a store updates what was
  /// loaded, its mark goes before that load, so that code generation can merge
  /// the two into one instruction. Partial updates are the exception: a mark
  /// between load and store prevents one narrow store that reads nothing.
  struct Group {
    Position First; ///< makes the first access, or loads what that updates
    llvm::Instruction *Site; ///< makes the first access
    llvm::Value *Base;  ///< the first access's address is an offset from it
    int64_t BaseOffset; ///< of Base, from the form's origin
    unsigned AddressForm;
    unsigned Cell;
    int64_t FirstOffset; ///< of the first access's first byte
    ByteExtent Bytes;
    bool NeedsOwnMark; ///< even if an earlier mark covers it
    bool IsApart;      ///< its mark must stay where it is (pairMarks)
    bool HasPart;      ///< of an object (ObjectParts.h)
  };

  void addToGroup(const Access &A, llvm::Value *Base,
                  const AddressForms::Place &BaseIs, int64_t Offset,
                  unsigned Cell, Position At);
  bool keepsApart(const Access &A) const;
  bool mayStraddle(const Access &A) const;
  Position placeFor(const Access &A, Position At, bool NeedsOwnMark) const;
  void learnFrom(const Access &A, int64_t Offset, Congruence &BaseIs) const;

  void mark(const Group &G, SegmentSteps &Steps);
  void markExact(const Group &G, SegmentSteps &Steps);
  void markNear(const Group &G, SegmentSteps &Steps);
  MarkStep &addByte(const Group &G, int64_t Offset, SegmentSteps &Steps);
  void countRepeated(const Group &G);
  void setMarked(const Group &G, ByteExtent Bytes);
  std::optional<int64_t> certainOffset(const Group &G, int64_t At) const;

  FunctionPlan &Function;
  const PassOptions &Options;
  MarkedExtents Marked;
  bool BeginsLoop;
  bool IsBehindCall = false;

  // Of the segment.
  llvm::SmallDenseMap<llvm::Instruction *, unsigned, 16> Loads; ///< numbers
  llvm::SmallPtrSet<const llvm::Value *, 8> StoredTo;
  llvm::SmallVector<Group, 16> Groups;
  llvm::SmallDenseMap<FormAndCell, unsigned, 16> OpenGroups;
};

} // namespace pagetide

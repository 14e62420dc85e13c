//===- SharedValues.h - Values of two copies of a body ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If control can change between two copies of a body (Windows.h), a value may
// come from either. This inserts the phi nodes that say from which. Where
// control changes, values go through memory. Otherwise code generation would
// give both copies the same registers, and plain code would have fewer of them.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace pagetide {

/// Where control changes: from the end of Leave, in one copy, to Enter, in the
/// other.
struct Crossing {
  llvm::BasicBlock *Leave, *Enter;
  bool ToMarked;
};

struct TwoCopies {
  /// The plain copy's instructions.
  llvm::ArrayRef<llvm::Instruction *> Plain;
  /// The marked copy's blocks, in reverse post order.
  llvm::ArrayRef<llvm::BasicBlock *> Marked;
  /// What the plain copy's values are in the marked one.
  const llvm::ValueToValueMapTy &Values;
  llvm::ArrayRef<Crossing> Crossings;
};

/// Makes the uses of both copies right, after edges between them were added.
void shareValues(const TwoCopies &Copies);

} // namespace pagetide

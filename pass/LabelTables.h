//===- LabelTables.h - Tables of label addresses ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of label addresses (computed goto) belongs to one function: a copy of
// the function that used it would jump into the original. So the copy gets
// tables of its own.

#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace pagetide {

class LabelTables {
public:
  /// The variables that hold addresses of \p F's labels.
  explicit LabelTables(llvm::Function &F);

  /// False if other code uses a table, or if one may change: the two copies
  /// of the function could not share what it says.
  bool canBeCopied() const { return CanBeCopied; }

  /// Makes empty tables for a copy of the function, and maps to them.
  void beginCopy(llvm::ValueToValueMapTy &Mapping);
  /// Fills them, once \p Mapping knows the copy's labels.
  void endCopy(llvm::ValueToValueMapTy &Mapping);

private:
  llvm::SetVector<llvm::GlobalVariable *> Tables;
  bool CanBeCopied = true;
};

} // namespace pagetide

//===- FunctionAccesses.h - All accesses of one function --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of a function, collected once. Every later stage asks here, so
// each warning about an access is given once.

#pragma once

#include "Accesses.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <utility>
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

class FunctionAccesses {
public:
  /// Collects the accesses of \p F, with plain addresses (PlainAddresses.h).
  /// Warns about memory that \p F may touch and that the pass cannot mark.
  /// Nothing may add or remove accesses of \p F while this object lives.
  FunctionAccesses(llvm::Function &F, const PassOptions &Options);

  /// In program order.
  llvm::ArrayRef<Access> all() const { return All; }

  /// In the order in which they happen. Empty for an instruction without
  /// accesses.
  llvm::ArrayRef<Access> of(const llvm::Instruction &I) const;

private:
  std::vector<Access> All;
  /// Index of an instruction's first access in All, and their number.
  llvm::DenseMap<const llvm::Instruction *, std::pair<size_t, size_t>> Ranges;
};

/// Turns off warnings about the inline assembly of \p F, for a later run too.
void silenceAsmWarnings(llvm::Function &F);

} // namespace pagetide

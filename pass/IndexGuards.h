//===- IndexGuards.h - Marks shared although an index may wrap --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_INDEXGUARDS_H
#define PAGETIDE_PASS_INDEXGUARDS_H

#include "AddressForms.h"
#include "FunctionAccesses.h"
#include "PassOptions.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace pagetide {

/// A guard for accesses that share a mark, such as a[i + 1] and a[i + 2] with an
/// unsigned i of 32 bits, in case a sum wraps. If Index + MaxAddend wraps, each
/// of them lies where its offset says, or lower by Scale times 2 to the power of
/// Index's bits.
struct IndexGuard {
  llvm::Value *Index = nullptr;
  uint64_t Scale = 0;
  uint64_t MaxAddend = 0;
  int64_t Low = 0, High = 0; ///< offsets of the lowest and the highest byte
  bool IsCertain = false;    ///< mark as accessed, not as may
  unsigned Accesses = 0;     ///< how many share the mark
};

/// A guard beside the mark of one access.
struct IndexCheck {
  IndexGuard Guard;
  uint64_t FirstAddend; ///< of that access, or 0
};

using IndexGuards = llvm::SmallDenseMap<unsigned, IndexGuard, 4>; ///< by form

/// The indices that are worth a guard.
IndexGuards findIndexGuards(const FunctionAccesses &Accesses,
                            const llvm::DataLayout &DL,
                            const PassOptions &Options, MarkMode Mode,
                            AddressForms &Forms);

} // namespace pagetide

#endif // PAGETIDE_PASS_INDEXGUARDS_H

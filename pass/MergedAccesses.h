//===- MergedAccesses.h - What code generation makes one of -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation makes one instruction of a load and of the store that changes
// what was loaded. It may also write less than the store says, or read nothing.
// Where a mark is decides which of these it does.

#pragma once

namespace llvm {
class Instruction;
} // namespace llvm

namespace pagetide {

/// True if \p I is one of two loads that a select chooses from. Code generation
/// merges them into one load from the selected address, unless a mark is
/// between them.
bool isAlternative(const llvm::Instruction &I);

/// True if \p I stores what was loaded with some bits replaced. Without a mark
/// between load and store, code generation may merge the two into one narrow
/// store, which reads nothing.
bool isPartialUpdate(const llvm::Instruction &I);

/// The load of what the store \p I changes, if code generation may merge the
/// two; otherwise null. With \p AndReads, only if the merged instruction still
/// reads. If a constant sets or clears bits, it may become a narrow store of
/// these bits.
llvm::Instruction *updatedLoad(llvm::Instruction &I, bool AndReads);

/// True if code generation may make less of the store \p I and of the load
/// that it updates, unless a mark is between them. It may leave the load out,
/// write only what changes, or leave out both if what was loaded is stored
/// back. \p MayStraddle says that it may be in two granules.
bool needsMarkBehindLoad(const llvm::Instruction &I, bool MayStraddle);

} // namespace pagetide

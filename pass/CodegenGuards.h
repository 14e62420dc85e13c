//===- CodegenGuards.h - What keeps marks true in code gen ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation comes after the last IR pass and still moves, merges, adds
// and drops accesses. Each function here prevents one of these changes that
// would make marks wrong.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/AliasAnalysis.h"

namespace llvm {
class Function;
class CallBase;
class Instruction;
class TargetLibraryInfo;
} // namespace llvm

namespace pagetide {

/// Keeps \p Reads behind their marks. Loads of constant memory are not ordered
/// with stores. So code generation may move them before their marks or out of a
/// loop, or repeat them later instead of spilling. Copies of a constant's bytes
/// may become stores of immediates, which read nothing.
void preventReordering(llvm::ArrayRef<llvm::Instruction *> Reads,
                       llvm::AAResults &AA);

/// Keeps \p Reads from sinking. Code generation moves loads to the uses of
/// their values, even to the single comparisons of a condition or a switch. It
/// also jumps around loads if one of them is selected. Their marks would not
/// move with them.
void preventSinking(llvm::ArrayRef<llvm::Instruction *> Reads);

/// Keeps stores of parameters to their variables if the caller may have passed
/// them on the stack. Code generation would use the caller's copy as the
/// variable and drop the store, but not its mark.
void preventParameterStoreRemoval(llvm::Function &F);

/// Whether code generation may make loads and stores of \p Call.
bool mayBeExpanded(const llvm::CallBase &Call,
                   const llvm::TargetLibraryInfo &TLI);

/// Keeps code generation from expanding calls of C library functions in place
/// (memcmp, mempcpy). Neither a mark nor the runtime's interceptor would see
/// those accesses.
void preventCallExpansion(llvm::Function &F,
                          const llvm::TargetLibraryInfo &TLI);

/// Drops attributes of \p F that are false when it has marks: that it writes no
/// memory, or does not synchronise with other threads.
void dropMemoryPromises(llvm::Function &F);

} // namespace pagetide

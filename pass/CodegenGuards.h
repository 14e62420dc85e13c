//===- CodegenGuards.h - What keeps marks true in code gen ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation comes after the last IR pass and still moves, merges, adds
// and drops accesses. What could make marks lie is forbidden here, one thing at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_CODEGENGUARDS_H
#define PAGETIDE_PASS_CODEGENGUARDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class Instruction;
class TargetLibraryInfo;
} // namespace llvm

namespace pagetide {

/// Does beforehand what code generation would do to the accesses of \p F when
/// they have their marks already: drops loads whose values nobody uses and
/// stores to locals that end right after, moves loads that only one way out of
/// their block uses there, and makes plain copies of fortified ones that have
/// nothing to check. Marks of accesses that are never made would be inventions;
/// copies that come to be later, losses.
void canonicalizeAccesses(llvm::Function &F,
                          llvm::FunctionAnalysisManager &FAM);

/// Keeps \p Reads behind their marks. Loads of memory that is known to be
/// constant are not ordered with stores at all: code generation may put them
/// before their marks, above a loop, or repeat them later instead of spilling.
/// And copies of a constant's bytes may become stores of immediates, so that
/// what was marked as read is never read.
void preventReordering(llvm::ArrayRef<llvm::Instruction *> Reads,
                       llvm::AAResults &AA);

/// Keeps \p Reads where they are: code generation sinks loads into the parts of
/// the program that use their values, down to the single comparisons that it
/// makes of a condition or a switch, and jumps around loads one of which is
/// chosen. Their marks would stay behind.
void preventSinking(llvm::ArrayRef<llvm::Instruction *> Reads);

/// Keeps stores of parameters to their variables where the caller may have passed
/// them on the stack: code generation would take the caller's copy for the
/// variable, drop the store and leave its mark.
void preventParameterStoreRemoval(llvm::Function &F);

/// Keeps calls of C library functions calls. Code generation would expand some
/// in place (memcmp, mempcpy), where neither a mark nor the runtime's
/// interceptor sees the accesses.
void preventCallExpansion(llvm::Function &F,
                          const llvm::TargetLibraryInfo &TLI);

/// Takes back what was promised of \p F before it had marks: that it writes no
/// memory, or talks to no other thread.
void dropMemoryPromises(llvm::Function &F);

} // namespace pagetide

#endif // PAGETIDE_PASS_CODEGENGUARDS_H

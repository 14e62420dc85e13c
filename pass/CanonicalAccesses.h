//===- CanonicalAccesses.h - Before there are marks -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

/// Does now what code generation would do to the accesses of \p F after they
/// have marks. Makes relative loads plain ones. Drops loads whose values nobody
/// uses, and stores to locals whose lifetime ends right after. If only one
/// successor of a load's block uses the load, moves it there. Replaces
/// fortified copies that have nothing to check by plain ones. Otherwise there
/// would be marks of accesses that are never made, and copies without marks
/// that code generation introduces. Unless \p MaySink, moves no loads.
void canonicalizeAccesses(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                          bool MaySink);

} // namespace pagetide

//===- ConstructorLists.h - Functions before and after main -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation writes each of these lists where it stands among the module's
// variables. The program may put pointers into the same section. So a changed
// list keeps its place: else functions of one priority would run in another
// order than without marks.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace pagetide {

constexpr llvm::StringLiteral ConstructorList = "llvm.global_ctors";
constexpr llvm::StringLiteral DestructorList = "llvm.global_dtors";

void appendTo(llvm::StringRef List, llvm::Module &M, llvm::Function *F,
              int Priority);

/// Removes functions from the list and from the module.
void removeFrom(llvm::StringRef List, llvm::Module &M,
                llvm::ArrayRef<llvm::Function *> Removed);

} // namespace pagetide

//===- Resolvers.h - Code that runs before the runtime ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic linker calls the resolvers of ifuncs while it relocates, before a
// shadow exists. A mark there would crash the program at its start.

#pragma once

#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace pagetide {

/// The functions of \p M that only resolvers run. If others call a function
/// too, it is copied, and the resolvers run the copy. If it cannot be copied,
/// it is returned too, and the user is warned.
llvm::SetVector<llvm::Function *> separateResolverCode(llvm::Module &M);

} // namespace pagetide

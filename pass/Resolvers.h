//===- Resolvers.h - Code that runs before the runtime ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic linker calls the resolvers of ifuncs while it relocates, long
// before a shadow exists. A mark there would be a crash at start.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_RESOLVERS_H
#define PAGETIDE_PASS_RESOLVERS_H

#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace pagetide {

/// The functions of \p M that resolvers run, and nothing else does. A function
/// that others call too is split in two for that; where it cannot be, it is
/// among the functions returned, and the user is warned.
llvm::SetVector<llvm::Function *> separateResolverCode(llvm::Module &M);

} // namespace pagetide

#endif // PAGETIDE_PASS_RESOLVERS_H

//===- Diagnostics.h - What the pass tells the user -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang shows these as its own messages. The warnings belong to the group
// -Wbackend-plugin.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class DebugLoc;
class Function;
class Module;
class Twine;
} // namespace llvm

namespace pagetide {

/// Makes the compilation fail. The module must still be valid.
void reportError(const llvm::Module &M, const llvm::Twine &Message);

/// The same, and names \p Loc if it is known, otherwise the source file.
void reportError(const llvm::Module &M, const llvm::DebugLoc &Loc,
                 const llvm::Twine &Message);

/// Warns that some accesses are not marked. \p Loc is where, if known.
void reportWarning(const llvm::Module &M, const llvm::DebugLoc &Loc,
                   const llvm::Twine &Message);

/// What the name of a function's marked copy has behind the function's own.
constexpr char CopySuffix[] = ".pagetide";

/// The name of \p F in the source, also if it is a marked copy.
llvm::StringRef nameInSource(const llvm::Function &F);

} // namespace pagetide

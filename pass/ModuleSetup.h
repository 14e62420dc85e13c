//===- ModuleSetup.h - How a module announces itself ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A marked module says how it was built in two ways. Its ELF note can be read
// before any code runs. Its constructor starts the runtime, which refuses
// modules that do not fit (pagetide/abi.h).

#pragma once

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace pagetide {

struct PassOptions;

/// Gives \p M its note and its constructor, if it has none yet. Returns false
/// after reporting an error: \p M has been marked with other options. \p
/// IsAfterThinLink: the linker will not look at comdats of \p M.
bool setUpModule(llvm::Module &M, const PassOptions &Options,
                 bool IsAfterThinLink);

/// If parts of \p M have marks, takes what was not given from their note.
void takeOptionsOfMarkedParts(llvm::Module &M, PassOptions &Options);

/// Each module that was linked into \p M has a note and a constructor. Keeps
/// one of each. Returns false after reporting an error: they differ.
bool unifyModuleSetup(llvm::Module &M);

/// True if \p F is a constructor made by setUpModule().
bool isModuleConstructor(const llvm::Function &F);

} // namespace pagetide

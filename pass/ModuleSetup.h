//===- ModuleSetup.h - How a module announces itself ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A marked module says how it was built twice: in an ELF note, which can be
// read before anything runs, and by a constructor, which starts the runtime and
// lets it refuse what does not fit (pagetide/abi.h).
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_MODULESETUP_H
#define PAGETIDE_PASS_MODULESETUP_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace pagetide {

struct PassOptions;

/// Gives \p M its note and its constructor, if it has none yet. Returns false
/// after an error, which is then reported: \p M has been marked with other
/// options.
bool setUpModule(llvm::Module &M, const PassOptions &Options);

/// Modules that were linked into one bring a note and a constructor each:
/// leaves one of them. Returns false after an error, which is then reported:
/// they differ.
bool unifyModuleSetup(llvm::Module &M);

/// True where \p F is a constructor made by setUpModule().
bool isModuleConstructor(const llvm::Function &F);

} // namespace pagetide

#endif // PAGETIDE_PASS_MODULESETUP_H

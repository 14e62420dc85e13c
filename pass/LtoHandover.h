//===- LtoHandover.h - Marks put off until the program is linked *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under link-time optimisation a module is optimised twice. Marks made in the
// first optimisation would hinder the second one, which may also move accesses
// past marks. So the first run of the pass only records:
//
//   - its options, in the named metadata !pagetide.deferred, so that the second
//     run needs none;
//   - a use of a symbol that nothing defines. A linker that does not run the
//     pass again cannot link the program then. The symbol's name says why.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pagetide {

struct PassOptions;

/// Defers the marks of \p M to the link.
void deferMarks(llvm::Module &M, const PassOptions &Options);

/// True if the marks of a part of \p M were deferred.
bool hasDeferredMarks(const llvm::Module &M);

/// Removes what deferMarks() added to \p M, and reads the options that it
/// recorded into \p Options. Returns false after reporting an error: parts of
/// \p M, or options given here, differ.
bool takeOverDeferredMarks(llvm::Module &M, PassOptions &Options);

} // namespace pagetide

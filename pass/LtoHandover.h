//===- LtoHandover.h - Marks put off until the program is linked *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under link-time optimisation a module is optimised twice. Marks made at the
// end of the first time would be in the way of the second, which may also move
// accesses past them. So the first run of the pass only leaves word of itself:
//
//   - its options, in the named metadata !pagetide.deferred, so that the second
//     run needs none;
//   - a use of a symbol that nothing defines and whose name says what is amiss.
//     A linker that does not run the pass again cannot link the program.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_LTOHANDOVER_H
#define PAGETIDE_PASS_LTOHANDOVER_H

namespace llvm {
class Module;
} // namespace llvm

namespace pagetide {

struct PassOptions;

/// Puts the marks of \p M off.
void deferMarks(llvm::Module &M, const PassOptions &Options);

/// True where the marks of a part of \p M were put off.
bool hasDeferredMarks(const llvm::Module &M);

/// Takes what deferMarks() left out of \p M again, and the options it noted
/// into \p Options. Returns false after an error, which is then reported: parts
/// of \p M, or options given here, differ.
bool takeOverDeferredMarks(llvm::Module &M, PassOptions &Options);

} // namespace pagetide

#endif // PAGETIDE_PASS_LTOHANDOVER_H

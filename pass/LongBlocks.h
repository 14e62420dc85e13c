//===- LongBlocks.h - Bounds on what code generation orders -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scheduler of machine instructions takes time that grows with the square
// of a block's length. Marks double the length of a block, and so would take
// four times as long. A block of 10,000 lines takes 16 s without marks.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_LONGBLOCKS_H
#define PAGETIDE_PASS_LONGBLOCKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

/// Puts labels into very long blocks, over which the scheduler moves nothing.
/// They are no code.
void divideLongBlocks(llvm::Function &F);

} // namespace pagetide

#endif // PAGETIDE_PASS_LONGBLOCKS_H

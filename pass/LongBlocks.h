//===- LongBlocks.h - Bounds on what code generation does -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of machine instructions takes time that grows with the square
// of a block's length. Marks double the length of a block, and so would take
// four times as long. A block of 10,000 lines takes 16 s without marks.
//
// The rest of code generation takes time in proportion to the instructions, and
// marks are more instructions than accesses are. So a long function's marked
// copy takes longer than all else. Code of a copy without loops runs at most
// once per call of it, and only while somebody records.

#pragma once

#include <cstddef>

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

/// Puts labels into very long blocks, over which the scheduler moves nothing.
/// They are no code.
void divideLongBlocks(llvm::Function &F);

/// True if \p F, which gets so many marks, is long and has no loop.
bool isLongWithoutLoops(const llvm::Function &F, size_t Marks);

} // namespace pagetide

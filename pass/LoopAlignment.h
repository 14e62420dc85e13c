//===- LoopAlignment.h - Tiny loops within a line of the cache --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processors fetch code by lines of 64 bytes. A loop of a few instructions that
// lies across two lines can take half as long again. Code generation aligns
// loops to 16 bytes, so chance decides which of them a line cuts. The test at a
// function's entry moves them, and so undoes what native code owes to chance.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

/// Has code generation align tiny innermost loops of \p F to half a line, which
/// holds them. What the program says about a loop stays.
void alignTinyLoops(llvm::Function &F);

} // namespace pagetide

//===- CallLines.h - Lines that say what may be a call ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For option marks=lines, by which a test compares the plan with the machine
// code (test/lib/unexpected_calls.py). The line of an instruction says whether
// it ends a segment, and so may be a call; its column says which segment of its
// function it is in, or ends.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

class Expansion;

/// Replaces the debug information of \p F, which has its marks.
void numberLines(llvm::Function &F, const Expansion &Known);

} // namespace pagetide

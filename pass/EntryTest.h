//===- EntryTest.h - The test that a plain copy begins with -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain copy of a function jumps to the marked one if a byte is set. The
// test and the jump are machine code in front of the function's own (LLVM:
// prologue data). So the compiler makes of the function itself what it makes
// without Pagetide: instructions, stack frame, and all that belongs to the
// function's symbol.

#pragma once

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace pagetide {

/// True if tools look for code at the very beginning of \p F. Then F becomes a
/// jump that begins with it, so all calls must go through F.
bool hasEntryHook(const llvm::Function &F);

/// Takes from \p Copy, a copy of some function that only marked code and a test
/// reach, what belongs to a function's symbol: what others read in front of it.
void dropIdentity(llvm::Function &Copy);

/// Makes \p F begin with: if \p On is not 0, jump to \p Copy.
void insertEntryTest(llvm::Function &F, llvm::Function &Copy,
                     llvm::GlobalVariable &On);

} // namespace pagetide

//===- Expansion.h - What code generation expands in place ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation turns much of the IR into calls: of the C library (floor
// on older processors), of the compiler's own library (division of 128 bits),
// of the loader (the address of a thread-local variable of a shared library).
// No such call may stand between a mark and its access. A thread that waits in
// the call, in the loader's lazy resolver for example, is taken for one that
// has made its accesses.
//
// What the processor's list (target::Lowering) has is known to be expanded in
// place. All else counts as a call. test/pass/expansion.test compiles every
// instruction and every intrinsic, and looks for calls that the list denies.

#pragma once

#include "target/Target.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace pagetide {

class Expansion {
public:
  /// For code of \p F. \p IsUnoptimized says that code generation will not
  /// optimise either, even if \p F does not say so.
  Expansion(const llvm::Function &F, bool IsUnoptimized, bool HasEmulatedTls);

  /// True if \p I becomes instructions of its own function, without a loop.
  /// False if nothing is known.
  bool isInPlace(const llvm::Instruction &I) const;

  /// True if marks of later accesses must not move before \p I: it may not
  /// return, may take long, may become a call, or orders memory.
  bool endsSegment(const llvm::Instruction &I) const;

private:
  /// Whether the address of a thread-local variable that \p I uses takes a
  /// call.
  bool callsForAddress(const llvm::Instruction &I) const;

  target::Lowering Processor;
  bool IsShared;       ///< addresses of thread-local variables may take a call
  bool HasEmulatedTls; ///< they do
};

} // namespace pagetide

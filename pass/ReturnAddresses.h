//===- ReturnAddresses.h - Which calls write where --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Option frames marks the return address that a call writes. This class says
// for which calls the address of that write is known before the call.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_RETURNADDRESSES_H
#define PAGETIDE_PASS_RETURNADDRESSES_H

#include <optional>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace pagetide {

class ReturnAddresses {
public:
  explicit ReturnAddresses(const llvm::Function &F) : F(F) {}

  /// True if \p I is a call that writes its return address right below the
  /// stack pointer that the program has before the call.
  bool isWrittenBy(const llvm::Instruction &I);

private:
  const llvm::Function &F;
  /// Whether calls may move the stack pointer for their arguments; computed
  /// when first needed.
  std::optional<bool> MovesStack;
};

} // namespace pagetide

#endif // PAGETIDE_PASS_RETURNADDRESSES_H

//===- CallingConvention.h - What calls pass, and where ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_CALLINGCONVENTION_H
#define PAGETIDE_PASS_CALLINGCONVENTION_H

#include "llvm/IR/Type.h"

namespace pagetide {

/// The general registers that System V passes arguments in. It has more vector
/// registers than these.
constexpr unsigned ArgumentRegisters = 6;

/// True where a value of type \p T passes in one register, if one is left. Of
/// other types (wide, x87, vectors of any width) that is not said.
inline bool takesOneRegister(const llvm::Type *T) {
  if (T->isIntegerTy())
    return T->getIntegerBitWidth() <= 64;
  return T->isPointerTy() || T->isFloatTy() || T->isDoubleTy();
}

} // namespace pagetide

#endif // PAGETIDE_PASS_CALLINGCONVENTION_H

//===- CallingConvention.h - What calls pass, and where ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/IR/Type.h"

namespace pagetide::target {

/// The number of general registers in which System V passes arguments. It uses
/// more vector registers than that.
constexpr unsigned ArgumentRegisters = 6;

/// True if a value of type \p T is passed in one register while one is free.
/// False for types for which that is not certain (wide, x87, vectors of any
/// width).
inline bool takesOneRegister(const llvm::Type *T) {
  if (T->isIntegerTy())
    return T->getIntegerBitWidth() <= 64;
  return T->isPointerTy() || T->isFloatTy() || T->isDoubleTy();
}

} // namespace pagetide::target

//===- PlainAddresses.h - Pointers of other address spaces ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks need addresses as the processor forms them. Some address spaces have
// another meaning (target::PointerKind).

#pragma once

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace pagetide {

/// True if \p Pointer, or each pointer of a vector, is a plain address.
bool isPlain(const llvm::Value &Pointer);

/// The plain addresses of pointers in one function. Computes each once, where
/// the pointer itself is computed.
class PlainAddresses {
public:
  explicit PlainAddresses(llvm::Function &F) : F(F) {}

  /// The plain address of \p Pointer, for a use in \p User. \p Pointer must not
  /// be relative to the shadow's base.
  llvm::Value *of(llvm::Value &Pointer, llvm::Instruction &User);

private:
  llvm::Value *threadPointerBits();

  llvm::Function &F;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Known;
  llvm::Value *ThreadPointerBits = nullptr;
};

} // namespace pagetide

//===- PlainAddresses.h - Pointers of other address spaces ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks need addresses as the processor forms them, in address space 0. LLVM's
// x86 code generation gives these address spaces a special meaning:
//
//   256 (__seg_gs)   an offset from the base of segment GS, which is Pagetide's
//   257 (__seg_fs)   an offset from the base of segment FS, the thread pointer
//   270 (__sptr)     a pointer of 32 bits, extended by its sign
//   271 (__uptr)     a pointer of 32 bits, extended by zeroes
//
// Every other address space is memory like that of address space 0.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_PLAINADDRESSES_H
#define PAGETIDE_PASS_PLAINADDRESSES_H

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace pagetide {

/// True if \p Pointer, or each pointer of a vector, is one of address space 0.
bool isPlain(const llvm::Value &Pointer);

/// True if \p Pointer is an offset from the base of segment FS or GS.
bool isRelativeToFs(const llvm::Value &Pointer);
bool isRelativeToGs(const llvm::Value &Pointer);

/// The plain addresses of pointers in one function. Computes each once, where
/// the pointer itself is computed.
class PlainAddresses {
public:
  explicit PlainAddresses(llvm::Function &F) : F(F) {}

  /// The plain address of \p Pointer, for a use in \p User. \p Pointer must not
  /// be relative to GS.
  llvm::Value *of(llvm::Value &Pointer, llvm::Instruction &User);

private:
  llvm::Value *threadPointerBits();

  llvm::Function &F;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Known;
  llvm::Value *ThreadPointerBits = nullptr;
};

} // namespace pagetide

#endif // PAGETIDE_PASS_PLAINADDRESSES_H

//===- VarArgs.h - The va_arg instruction, taken apart ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// va_arg reads and writes a va_list. It also reads an argument, at an address
// that depends on the va_list. Clang expands va_arg itself. Other front ends
// leave that to code generation, which is too late for marks.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_PASS_VARARGS_H
#define PAGETIDE_PASS_VARARGS_H

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

/// Replaces the va_arg instructions of \p F by the loads and stores that x86-64
/// code generation would expand them to.
void expandVarArgs(llvm::Function &F);

} // namespace pagetide

#endif // PAGETIDE_PASS_VARARGS_H

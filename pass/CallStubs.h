//===- CallStubs.h - How marked code calls the runtime by name --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime stands for some functions of libc. Whose function a call of NAME
// reaches is the business of linker and loader: -Wl,--wrap, --defsym, objcopy,
// a definition of the program's own, LD_PRELOAD. So marked code passes the
// address of NAME on. It calls a stub of its own file, of NAME's type:
//
//   __pagetide_call.NAME:  argument kCalledArgument (abi.h) = address of NAME
//                          jump to __pagetide_NAME
//
// If that address is not libc's, the runtime calls the function there.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Attributes.h"

namespace llvm {
class Function;
class FunctionType;
class Module;
} // namespace llvm

namespace pagetide {

/// The stub of type \p Type that calls the runtime in place of \p Name. With a
/// \p Suffix it calls __pagetide_NAMESUFFIX, which takes one argument more.
llvm::Function *callStub(llvm::Module &M, llvm::StringRef Name,
                         llvm::StringRef Suffix, llvm::FunctionType *Type,
                         llvm::AttributeList Attributes = {});

} // namespace pagetide

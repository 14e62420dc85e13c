//===- LibraryCalls.h - Calls of libc that the runtime makes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libc is not instrumented. Marked code calls the runtime in place of the
// functions in call_site_functions.def, and the runtime marks what they read.
//
// Calls that name the function call the runtime's. Any other use of its address
// stays, so that pointers to it are equal in all files of a program. A call
// through a pointer asks the runtime what to call, if the pointer is near
// libc's functions.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace pagetide {

/// Whether redirectLibraryCalls may change \p F.
bool mayCallLibrary(const llvm::Function &F);

/// Redirects the calls of \p F, whose accesses have been marked. A choice
/// between functions that is only called counts as a call of each.
void redirectLibraryCalls(llvm::Function &F);

} // namespace pagetide

//===- entries.h - Code of exported functions -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements of naked functions: nothing else may be in these. REAL, WRAP and
// RealFunction are those of interceptors/real_functions.h.
//
//   PAGETIDE_WITH_CALLER_CODE(at_call_sites, stands_in, name)
//     keeps the address to which the call returns (call_sites.h), goes on in
//     the interceptor, and defines its RealFunction, which assembly knows as
//     pagetide_real_NAME
//   PAGETIDE_ENTRY_CODE(name)
//     goes on in the interceptor, with the caller if that is wanted; while
//     marks are off, in the real function
//   PAGETIDE_STEADY_ENTRY_CODE(name)
//     goes on in the interceptor
//   PAGETIDE_CALL_SITE_CODE(name)
//     goes on where `at_call_sites_of_NAME` says, if what the call's file calls
//     NAME is the usual function
//   PAGETIDE_ASK_AND_JUMP("function")
//     calls a function with the arguments, and goes on with them at the address
//     that it returns; for functions without arguments in vector registers
//   PAGETIDE_SYSCALL_CODE("marked", "real")
//     of syscall(): goes on in `marked`; for calls that return twice, or never,
//     at the address that `real` returns
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ARCH_ENTRIES_H
#define PAGETIDE_RUNTIME_ARCH_ENTRIES_H

#include "arch/x86_64/entries.h" // IWYU pragma: export

/// What PAGETIDE_ENTRY_CODE jumps to before the real function is known: calls
/// PagetideResolve with the RealFunction, and goes on at what that returns.
/// Keeps all registers that may hold arguments.
extern "C" __attribute__((visibility("hidden"))) void PagetideResolveAndJump();

#endif // PAGETIDE_RUNTIME_ARCH_ENTRIES_H

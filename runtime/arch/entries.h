//===- entries.h - Code of exported functions -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// runtime/CMakeLists.txt makes entries.S of intercepted.txt, tabled.def and the
// processor's entries.S.in, which has a part for each kind of function:
//
//   real function   the RealFunction (interceptors/real_functions.h) called
//                   pagetide_real_NAME; and pagetide_with_caller_NAME, which
//                   keeps the address to which the call returns (call_sites.h)
//                   and goes on in the interceptor
//   entry           goes on in the interceptor, with the caller if that is
//                   wanted; while marks are off, in the real function
//   steady entry    goes on in the interceptor also then
//   call site       __pagetide_NAME goes on where its CallTarget says, if what
//                   the call's file calls NAME is the usual function
//   asks            an interceptor that calls PagetideBefore_NAME with the
//                   arguments, and goes on with them where that returns
//
// The parts write @name@ for the function, @length@ for the length of its real
// function's variable, and @exported@, @at_call_sites@ and @stands_in@ for
// members of the RealFunction. The head of entries.S.in has these functions:
//
//   PagetideResolveAndJump   where an entry goes before the real function is
//                            known: calls PagetideResolve with the
//                            RealFunction, and goes on at what that returns,
//                            with all registers that may hold arguments
//   ___interceptor_syscall   goes on in PagetideMarkedSyscall; for calls that
//                            return twice, or never, where PagetideRealSyscall
//                            says

#pragma once

/// Sizes and offsets that entries.S writes as numbers.
#define PAGETIDE_CHECK_ENTRIES(RealFunction, CallTarget)                       \
  static_assert(sizeof(RealFunction) == 7 * 4 && sizeof(CallTarget) == 32 &&   \
                __builtin_offsetof(CallTarget, usual) == 0 &&                  \
                __builtin_offsetof(CallTarget, target) == 8)

//===- init.h - The second phase of start-up ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_STARTUP_INIT_H
#define PAGETIDE_RUNTIME_STARTUP_INIT_H

namespace pagetide {

/// Options, interceptors, threads, fork handlers, recorder; then recording, if
/// the options ask for it. Runs once, from the first module constructor: libc
/// and other sanitizers are ready by then.
void EnsureSecondPhase();

/// The function that the program would call if this library were not there;
/// null where there is none.
void *ResolveReal(const char *name);
/// Resolves the functions that interceptors wrap (interceptor.cpp).
void InitInterceptors();
/// Those of sanitizer_common's table; the above calls it.
void InitTableInterceptors();
/// Afterwards, for engine mprotect: some of them do more.
void GuardTableInterceptors();
/// Gives a stream that is read a buffer that is never protected.
void BufferInput(void *stream);
/// In a forked child: another thread was exiting.
void ForgetExitInChild();

/// Registers the handlers that keep parent and child apart (fork.cpp).
void InitFork();
/// The child's part after libc's _Fork, which runs no handlers.
void InChildOfUnderscoreFork();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_STARTUP_INIT_H

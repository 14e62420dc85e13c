//===- period_by_calls.h - Periods that end at every Nth call -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Option end_period_calls, for tests of programs that end no periods
// themselves. Every interceptor calls OnInterceptedCall() first. At that moment
// the calling code has made every access that it marked, and the interceptor
// has made no mark. So each mark is in the same period as its access.
//
// memcpy, memmove and memset do not call it. Code generation calls them for
// accesses that the pass has already marked, so a period would end between mark
// and access. (The pass's own calls, __pagetide_memcpy and the like, do count.)
//
// Only calls of the process's first thread count. Other threads run on while a
// period ends, as they do if the clock ends it.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// The option; 0: off. If it is off, a call looks at nothing else.
extern u64 calls_per_period;

/// Keeps the registers, so that a call with the option off needs no stack.
__attribute__((preserve_most)) void CountInterceptedCall();

/// Async-signal-safe. Does nothing on the recorder's threads, in a child of
/// vfork, and within a call that waits for the recorder.
inline void OnInterceptedCall() {
  if (__builtin_expect(calls_per_period != 0, 0))
    CountInterceptedCall();
}

/// Makes the calling thread the one that counts: in the second phase, and in a
/// forked child.
void CountCallsOfThisThread();

} // namespace pagetide

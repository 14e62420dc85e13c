//===- period_by_calls.h - Periods that end at every Nth such call --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Option end_period_calls, for tests of programs that end no periods
// themselves. Every interceptor calls OnInterceptedCall() first: the calling
// code has made by then every access that it marked, and the interceptor has
// marked none, so that no mark stands in another period than its access.
//
// memcpy, memmove and memset themselves do not: code generation makes calls of
// them where the pass saw an access, and marked it, so that a period would end
// between the two. (What the pass makes of them, __pagetide_memcpy and the
// like, are calls.)
//
// Only calls of the thread that started the process count. Where it has others,
// they run on while a period ends, as they do when the clock ends one.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_PERIOD_BY_CALLS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_PERIOD_BY_CALLS_H

#include "platform/syscalls.h"

namespace pagetide {

/// The option; 0: off. All that a call looks at then.
extern u64 calls_per_period;

void CountInterceptedCall();

/// Async-signal-safe. Does nothing on the recorder's threads, in a child of
/// vfork, and within a call that waits for the recorder.
inline void OnInterceptedCall() {
  if (__builtin_expect(calls_per_period != 0, 0))
    CountInterceptedCall();
}

/// The calling thread is the process's first: in the second phase, and in a
/// forked child.
void CountCallsOfThisThread();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_PERIOD_BY_CALLS_H

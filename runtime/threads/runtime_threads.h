//===- runtime_threads.h - Which threads are the program's ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime may have one pthread of its own, which has no slot: the callback
// thread. It must not keep a process alive when all of the program's threads
// have ended, so these are counted.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// A thread of the program has begun (+1) or ended (-1).
void CountThread(int change);
/// True if the last thread of the program has ended.
bool NoProgramThreadLeft();

/// Sets the pthread that is the runtime's own; 0: there is none any more.
void SetRuntimePthread(u32 tid);
/// `hook` is called when the last thread of the program has ended.
void SetLastThreadHook(void (*hook)());
/// How many pthreads the runtime has, and whether this is one.
u32 RuntimePthreads();
bool IsRuntimePthread(u32 tid);

/// For a forked child, which has only the thread that forked.
void RenewRuntimeThreadsInChild(bool that_has_ended);

} // namespace pagetide

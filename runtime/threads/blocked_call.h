//===- blocked_call.h - The system call in which a thread sleeps ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/page_vec.h"

namespace pagetide {

/// The number of the system call in which the kernel says that the thread
/// sleeps. Such a thread is not between a mark and its access. -1: it sleeps in
/// none. It may run, or it sleeps in a page fault, or it has ended.
long BlockedCall(u32 tid);

/// Whether the thread has made all accesses that it had marked when its CPU
/// time was that: the time has advanced enough (option settle), the thread is
/// blocked, or it does not exist. If it was found asleep, `asleep_at` is its
/// CPU time then: it sleeps on as long as that does not change.
bool HasSettledSince(const ThreadCpu &before, u64 *asleep_at = nullptr);

/// Lists the threads of the process, the runtime's too. False if that fails.
/// On the recorder's thread.
bool ListThreads(PageVec<u32> &tids);

} // namespace pagetide

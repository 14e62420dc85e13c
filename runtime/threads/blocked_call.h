//===- blocked_call.h - The system call in which a thread sleeps ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_THREADS_BLOCKED_CALL_H
#define PAGETIDE_RUNTIME_THREADS_BLOCKED_CALL_H

#include "platform/page_vec.h"

namespace pagetide {

/// The number of the system call in which the kernel says that the thread
/// sleeps. Such a thread is not between a mark and its access. -1: it sleeps in
/// none. It may run, or it sleeps in a page fault, or it has ended.
long BlockedCall(u32 tid);

/// Lists the threads of the process, the runtime's too. False if that fails.
/// On the recorder's thread.
bool ListThreads(PageVec<u32> &tids);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_THREADS_BLOCKED_CALL_H

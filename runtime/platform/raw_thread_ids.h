//===- raw_thread_ids.h - Which threads libc does not know ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of the threads that raw_thread.h starts. It is a file of its own
// because own_memory.h and messages.h use it, and raw_thread.h needs both.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// True for any thread that StartRawThread has started.
bool IsRawThread(u32 tid);
inline bool OnRawThread() { return IsRawThread(GetTidRaw()); }

/// How many there are.
u32 RawThreadCount();

/// For raw_thread.cpp. `tid` is where the kernel keeps the thread's id, and 0
/// once the thread has ended. False if there are too many threads.
bool RegisterRawThread(const u32 *tid);
void DeregisterRawThread(const u32 *tid);
/// In a forked child.
void DeregisterRawThreads();

} // namespace pagetide

//===- unregistered.h - Threads that the runtime did not see being created ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An unregistered thread has no slot and did not ask for one: a raw clone, or a
// thread that libc made for itself. It marks in its creator's slot.

#pragma once

#include "platform/page_vec.h"

namespace pagetide {

/// Threads that the kernel counts; 0 if there is no /proc.
u64 CountTasks();

/// True if the process has no thread but the caller and the runtime's own.
bool IsOnlyThread();

/// True if all threads of the program have ended, and the runtime's own keep
/// the process. `status` is as waitpid would have it. False if there is no
/// /proc.
bool OnlyRuntimeIsLeft(u32 &status);

/// Appends the ids of the unregistered threads. On the recorder's thread.
void ListUnregisteredThreads(PageVec<u32> &tids);

/// True if AttachExistingThreads would end the program, as far as the threads'
/// blocked signals tell.
bool AnyThreadBlocksAttachment();

/// Gives slots to the threads that existed before the runtime. Ends the program
/// if one cannot be reached.
void AttachExistingThreads();

} // namespace pagetide

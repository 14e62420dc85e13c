//===- thread_memory.h - Where each thread's stack and own variables are --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Option kernel_writes must know which memory belongs to a thread. Without it
// nothing is noted.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// A thread's stack, with its thread-local storage at the end. For the first
/// thread, only its thread-local storage. Empty if not noted.
struct ThreadArea {
  uptr begin, bytes;
  bool is_stack;
};
ThreadArea AreaOfSlot(u32 slot);

/// The calling thread's number. Libc keeps it, so there is no system call. For
/// threads that libc has just made: it may be outdated in a raw fork's child.
u32 TidOfDescriptor();
/// On the first thread: finds where libc keeps it.
void FindTidOfDescriptor();

/// Whether anybody needs the areas.
bool AreasWanted();

/// The bytes that a thread made with `attributes` (may be null) has for its
/// stack, its thread-local storage and libc's descriptor.
uptr StackBytes(const void *attributes);

/// On a thread that libc made: notes `bytes` up to the end of its descriptor.
void NoteStack(u32 slot, uptr bytes);
/// On the first thread: notes its thread-local storage.
void NoteThreadLocal(u32 slot);

} // namespace pagetide

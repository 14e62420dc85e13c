//===- thread_pointer.h - What libc keeps at the thread pointer -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "arch/syscall.h"

namespace pagetide {

/// Where libc's descriptor of the calling thread is.
inline uptr ThreadPointer();
/// Makes a block for thread-local storage point to itself, at its thread
/// pointer, where libc and the ABI want that.
inline void PointToItself(void *thread_pointer);
/// The stack pointer in a jmp_buf. libc mangles it with a secret value of the
/// thread.
inline uptr StackOfJump(const void *buffer);

} // namespace pagetide

#include "arch/x86_64/thread_pointer.h" // IWYU pragma: export

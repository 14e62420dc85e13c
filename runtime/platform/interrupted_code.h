//===- interrupted_code.h - What a thread was doing -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs locks and memory of libc must not run where a thread may hold such
// a lock: in libc itself, in an allocator, and in all that a signal handler has
// interrupted there. All functions are async-signal-safe.

#pragma once

#include "platform/syscalls.h"

#include <ucontext.h>

namespace pagetide {

/// Whether the stack of the calling thread has the frame of a signal handler at
/// `stack_pointer` or above. Masks do not tell: programs block signals that
/// have handlers, and handlers may leave their signal unblocked.
bool IsInHandler(uptr stack_pointer);

/// Notes where libc is. `function` is one of its own.
void NoteLibc(const void *function);

/// Whether a handler that got `interrupted` may take locks and memory of libc:
/// the thread was in code of the program, or waited in a system call, and was
/// in no other handler. Stacks without room for more count as no.
bool MayTakeLocks(const ucontext_t &interrupted);

} // namespace pagetide

//===- mark_faults.h - Faults of marks, and who gets them -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No shadow covers addresses in the kernel's half, or between the halves. A
// mark of such an address faults before the access does. A program that handles
// SIGSEGV must see the fault of the access only. So its handler is wrapped by
// one that recognises marks and skips them. A program without a handler dies of
// the same signal in either case.

#pragma once

#include "platform/syscalls.h"

struct sigaction;

namespace pagetide {

/// Sets the program's action for SIGSEGV; `real` is libc's sigaction. Arguments
/// and result are sigaction's.
int SetFaultHandler(const struct sigaction *action, struct sigaction *previous,
                    int (*real)(int, const struct sigaction *,
                                struct sigaction *));

/// The same for signal(); `flags` are those of sigaction that this variant of
/// signal() sets. Returns what signal() returns.
void *SetFaultSignal(void *handler, int flags,
                     int (*real)(int, const struct sigaction *,
                                 struct sigaction *));

} // namespace pagetide

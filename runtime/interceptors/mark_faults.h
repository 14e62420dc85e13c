//===- mark_faults.h - Faults of marks, and who gets them -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mark of an address that no shadow covers, in the kernel's half or between
// the halves, faults before the access does. A program that handles SIGSEGV must
// see the access's fault and no other: its handler is wrapped by one that
// recognises a mark and skips it. A program without a handler dies by the same
// signal either way.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_MARK_FAULTS_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_MARK_FAULTS_H

#include "platform/syscalls.h"

struct sigaction;

namespace pagetide {

/// sigaction for SIGSEGV on the program's behalf; `real` is libc's. Arguments
/// and result are sigaction's.
int SetFaultHandler(const struct sigaction *action, struct sigaction *previous,
                    int (*real)(int, const struct sigaction *,
                                struct sigaction *));

/// signal() likewise, of which there are two kinds: `flags` are those of sigaction
/// that its handlers have. `real` is libc's sigaction. Returns what signal does.
void *SetFaultSignal(void *handler, int flags,
                     int (*real)(int, const struct sigaction *,
                                 struct sigaction *));

/// Bytes of the instruction at `code` where it is a mark, otherwise 0: a store
/// relative to GS, of a constant or a register.
uptr MarkLength(const u8 *code);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_MARK_FAULTS_H

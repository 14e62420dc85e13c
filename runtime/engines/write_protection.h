//===- write_protection.h - Protect all memory at a period's end ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's writable memory is protected (mprotect) at each period's end.
// The first write to a page faults; a handler of SIGSEGV marks the page and
// lifts its protection (protection_events.h). The recorder then takes the marks
// as if instrumented code had made them.
//
// Memory whose faults cannot be served is excluded from protection: stacks (the
// kernel puts the handler's frame there), thread-local storage, and variables
// of libc and the loader. These write their variables with all signals blocked.
//
// All functions run on the recorder's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H
#define PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H

#include "platform/syscalls.h"

namespace pagetide {

/// While faults are locked, none is served. All functions below need them
/// locked.
void LockFaults();
void UnlockFaults();

/// Protects all memory again and marks the pages of new memory that were
/// written. Protects nothing while a thread or process is being created.
void ProtectAll();
/// Call it when the period's marks have been taken. System calls under way may
/// write to some memory: it gets the program's rights back and is marked in the
/// new period.
void OpenForKernel();
/// Gives all memory the program's rights.
void UnprotectAll();
/// Whether writes to the page can be detected.
bool IsProtectable(u64 page);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H

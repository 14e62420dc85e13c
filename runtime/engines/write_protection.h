//===- write_protection.h - Written pages, by faults of a protected program ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's writable memory is protected (mprotect) at each period's end.
// The first write to a page faults; a handler of SIGSEGV marks the page, in the
// first thread's shadow, and lifts its protection. Marks are then taken as ever.
//
// Left alone is what is written where a fault cannot be served: stacks (the
// kernel puts the handler's frame there), thread-local storage, and the
// variables of libc and the loader, which write them with all signals blocked.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H
#define PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H

#include "engines/engine.h"

namespace pagetide {

/// Engine::prepare: the handler and its stack. The engine listens from then on
/// (program_events.h).
const char *PrepareProtection(Sigaction *sigaction);

//===- On the recorder's thread -------------------------------------------===//

/// Call ProtectAll with faults locked: none is served meanwhile. It protects all
/// memory anew and marks what was written of new memory. It protects nothing
/// while a thread or process is being created.
void LockFaults();
void ProtectAll();
void UnlockFaults();
/// Call it when the period's marks have been taken. It gives the program's rights
/// back to what system calls under way may write, and marks it in the new period.
void OpenForKernel();
/// Gives all memory the program's rights.
void UnprotectAll();
/// Whether writes to the page can be detected.
bool IsProtectable(u64 page);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H

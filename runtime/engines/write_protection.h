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

#include "platform/syscalls.h"

struct sigaction;

namespace pagetide {

/// Whether pages are, or may be, protected. Set once, before any is.
extern bool protecting;
inline bool Protecting() { return __builtin_expect(protecting, 0); }

/// On the first thread, before recording: the handler and its stack. Returns
/// null, or what is missing, in a static text.
const char *PrepareProtection(int (*sigaction_of_libc)(int,
                                                       const struct sigaction *,
                                                       struct sigaction *));
/// A stack for the handler on the calling thread, and its end.
void EnterProtectedThread();
void LeaveProtectedThread();

//===- For interceptors ---------------------------------------------------===//

/// The kernel is about to write there: lifts the protection of the range's pages,
/// and marks them as possibly written. Async-signal-safe.
void LiftForKernel(uptr address, uptr bytes);
/// Memory that is never to be protected again, because a fault there cannot be
/// served.
void LeaveUnprotected(uptr begin, uptr end);
/// The program has mapped the range, or given it these rights.
void NoteProgramRights(uptr address, uptr bytes, int rights);
/// The same of private anonymous memory that has just been mapped.
void NoteNewAnonymous(uptr address, uptr bytes, int rights);
/// The range is about to be unmapped, moved or mapped anew: its pages get the
/// rights that the program gave them.
void GiveBackRights(uptr address, uptr bytes);
/// The rights that the program gave a page that is, or was, protected; else 0.
int RightsOf(uptr address);
/// sigaction of SIGSEGV.
int SetProgramFaultAction(const struct sigaction *action,
                          struct sigaction *previous);

/// signal() of it, with these flags of sigaction; returns the handler before.
void *SetProgramFaultSignal(void *handler, int flags);

/// Threads and processes being started write new stacks, and what their makers
/// gave them, with all signals blocked: while there is one, no memory is
/// protected, and what has been lifted may be written unnoticed.
void CountStarting(int change);

/// While the program's memory has the program's rights for a moment.
class ChangingMemory {
public:
  ChangingMemory() { CountStarting(+1); }
  ~ChangingMemory() { CountStarting(-1); }
  ChangingMemory(const ChangingMemory &) = delete;
  ChangingMemory &operator=(const ChangingMemory &) = delete;
};

//===- For the engine, on the recorder's thread ---------------------------===//

/// Protects all memory anew, unless something is being started. To be called between the two below: no fault is
/// served in between. What of new memory was written is marked.
void LockFaults();
void ProtectAll();
void UnlockFaults();
/// What system calls under way may be writing is lifted again, and marked in the
/// period that begins: once the marks of the one before have been taken.
void OpenForKernel();
/// Gives all memory the program's rights.
void UnprotectAll();
/// Whether a page is one of those that are left alone.
bool IsProtectable(u64 page);
//===- For the fork handlers ----------------------------------------------===//

/// First, and before locks: the child must not get the stack of a thread that is
/// being made, which it could not tell from other memory. So that ends before,
/// and none is begun until the fork has been made.
void BeginFork();
/// Nothing is protected while a thread forks; its own faults are served.
void LockProtection();
void UnlockProtection();
void RenewProtectionInChild();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ENGINES_WRITE_PROTECTION_H

//===- program_events.h - What a program does that an engine must know ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine may take rights away from the program's memory to find out what is
// written there. It must then know what the program does about its memory,
// signals, threads and processes. Such an engine installs a table of functions.
// Interceptors, threads and fork handlers report through the functions below,
// which do nothing if no engine has installed a table.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_PLATFORM_PROGRAM_EVENTS_H
#define PAGETIDE_RUNTIME_PLATFORM_PROGRAM_EVENTS_H

#include "platform/syscalls.h"

struct sigaction;

namespace pagetide {

struct ProgramEvents {
  void (*kernel_will_write)(uptr address, uptr bytes);
  void (*exclude_from_protection)(uptr begin, uptr end);
  void (*mapping_will_change)(uptr address, uptr bytes);
  void (*rights_were_set)(uptr address, uptr bytes, int rights);
  void (*anonymous_was_mapped)(uptr address, uptr bytes, int rights);
  int (*program_rights_of)(uptr address);
  void (*hold_protection)(int change);
  int (*set_fault_action)(const struct sigaction *action,
                          struct sigaction *previous);
  void (*thread_begins)();
  void (*thread_ends)();
  void (*fork_begins)();
  void (*lock_for_fork)();
  void (*unlock_after_fork)();
  void (*renew_in_child)();
};

/// Null, or the engine's table. Set once, before any rights are taken away.
inline const ProgramEvents *program_events;
inline bool EngineListens() {
  return __builtin_expect(program_events != nullptr, 0);
}

//===- Memory -------------------------------------------------------------===//

/// The kernel is about to write there for the program: it must be able to, and
/// the pages count as possibly written. Async-signal-safe.
inline void KernelWillWrite(const volatile void *p, uptr bytes) {
  if (EngineListens())
    program_events->kernel_will_write((uptr)p, bytes);
}
/// A fault can never be served there: the range keeps the program's rights.
inline void ExcludeFromProtection(uptr begin, uptr end) {
  if (EngineListens())
    program_events->exclude_from_protection(begin, end);
}
/// The range is about to be unmapped, moved, or mapped again.
inline void MappingWillChange(uptr address, uptr bytes) {
  if (EngineListens())
    program_events->mapping_will_change(address, bytes);
}
/// The program has mapped the range, or given it these rights.
inline void RightsWereSet(uptr address, uptr bytes, int rights) {
  if (EngineListens())
    program_events->rights_were_set(address, bytes, rights);
}
/// The program has just mapped private anonymous memory, with these rights.
inline void AnonymousWasMapped(uptr address, uptr bytes, int rights) {
  if (EngineListens())
    program_events->anonymous_was_mapped(address, bytes, rights);
}
/// The rights that the program gave a page, if the engine changes them; else 0.
inline int ProgramRightsOf(uptr address) {
  return EngineListens() ? program_events->program_rights_of(address) : 0;
}

/// While the count is not 0 no more memory is protected. Either the program's
/// memory has the program's rights for a moment, or something is written with
/// all signals blocked (the stack of a new thread or process).
inline void HoldProtection(int change) {
  if (EngineListens())
    program_events->hold_protection(change);
}
class ScopedHoldProtection {
public:
  ScopedHoldProtection() { HoldProtection(+1); }
  ~ScopedHoldProtection() { HoldProtection(-1); }
  ScopedHoldProtection(const ScopedHoldProtection &) = delete;
  ScopedHoldProtection &operator=(const ScopedHoldProtection &) = delete;
};

//===- Threads and fork, on the thread concerned --------------------------===//

inline void ThreadBegins() {
  if (EngineListens())
    program_events->thread_begins();
}
inline void ThreadEnds() {
  if (EngineListens())
    program_events->thread_ends();
}
/// Call it before any lock is taken: it may wait for other threads.
inline void ForkBegins() {
  if (EngineListens())
    program_events->fork_begins();
}
inline void LockEngineForFork() {
  if (EngineListens())
    program_events->lock_for_fork();
}
inline void UnlockEngineAfterFork() {
  if (EngineListens())
    program_events->unlock_after_fork();
}
inline void RenewEngineInChild() {
  if (EngineListens())
    program_events->renew_in_child();
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_PLATFORM_PROGRAM_EVENTS_H

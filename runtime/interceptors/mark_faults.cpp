//===- mark_faults.cpp - Faults of marks, and who gets them ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/mark_faults.h"

#include "arch/signals.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "shadow/shadow.h"

#include <errno.h>
#include <signal.h>

namespace pagetide {

namespace {
/// The action that the program has set. Handlers read it, so its parts are
/// loaded one by one. If a program changes its handler while a thread is
/// faulting, that thread may get the new handler with the old flags.
struct ProgramAction {
  void *handler; ///< null: the kernel has what the program set
  bool with_info;
  bool reset;
};
} // namespace

static ProgramAction program_action;
PAGETIDE_ZERO_IN_CHILD static Lock action_lock;

static void HandleFault(int number, siginfo_t *info, void *context) {
  auto *ucontext = (ucontext_t *)context;
  if (info->si_code > 0) { // a fault, not a signal that was sent
    const uptr instruction = GetInstruction(*ucontext);
    // If the fault is a jump to a bad address, there is no code to look at.
    if (info->si_code == SI_KERNEL || (uptr)info->si_addr != instruction)
      if (uptr bytes = MarkLength((const u8 *)instruction)) {
        SetInstruction(*ucontext, instruction + bytes);
        return;
      }
  }
  void *handler = __atomic_load_n(&program_action.handler, __ATOMIC_ACQUIRE);
  if (LoadAcquire(&program_action.reset)) { // SA_RESETHAND
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
  }
  if (LoadAcquire(&program_action.with_info))
    ((void (*)(int, siginfo_t *, void *))handler)(number, info, context);
  else
    ((void (*)(int))handler)(number);
}

int SetFaultHandler(const struct sigaction *action, struct sigaction *previous,
                    int (*real)(int, const struct sigaction *,
                                struct sigaction *)) {
  ScopedLock hold(action_lock);
  const ProgramAction before = program_action;
  struct sigaction ours, theirs;
  if (action) {
    ours = *action;
    void *handler = (void *)action->sa_handler;
    const bool wraps =
        action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
    if (wraps) {
      StoreRelease(&program_action.with_info,
                   (action->sa_flags & SA_SIGINFO) != 0);
      StoreRelease(&program_action.reset,
                   (action->sa_flags & (int)SA_RESETHAND) != 0);
      ours.sa_sigaction = HandleFault;
      ours.sa_flags |= SA_SIGINFO;
      // Otherwise the fault of a mark would reset it.
      ours.sa_flags &= (int)~(unsigned)SA_RESETHAND;
    }
    __atomic_store_n(&program_action.handler, wraps ? handler : nullptr,
                     __ATOMIC_RELEASE);
  }
  int result = real(SIGSEGV, action ? &ours : nullptr, &theirs);
  if (result) {
    program_action = before;
    return result;
  }
  if (previous) {
    *previous = theirs;
    if (before.handler && theirs.sa_sigaction == HandleFault) {
      previous->sa_handler = (void (*)(int))before.handler;
      if (!before.with_info)
        previous->sa_flags &= ~SA_SIGINFO;
      if (before.reset)
        previous->sa_flags |= (int)SA_RESETHAND;
    }
  }
  return 0;
}

void *SetFaultSignal(void *handler, int flags,
                     int (*real)(int, const struct sigaction *,
                                 struct sigaction *)) {
  struct sigaction action = {}, previous;
  if (handler == (void *)SIG_ERR) { // signal() refuses it
    errno = EINVAL;
    return handler;
  }
  action.sa_handler = (void (*)(int))handler;
  action.sa_flags = flags;
  if (!(flags & (int)SA_NODEFER))
    sigaddset(&action.sa_mask, SIGSEGV);
  if (SetFaultHandler(&action, &previous, real))
    return (void *)SIG_ERR;
  return (void *)previous.sa_handler;
}

} // namespace pagetide

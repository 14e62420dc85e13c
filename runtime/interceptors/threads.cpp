//===- threads.cpp - Threads that the program makes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that pthread_create, thrd_create and libc's clone make have shadows
// of their own. So have threads that libc makes to call the program's function
// (SIGEV_THREAD). Raw system calls are not seen here: such threads mark in
// their creators' shadows, and the recorder looks for them
// (threads/unregistered.h).

#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/process.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "recorder/requests.h"
#include "threads/thread_start.h"
#include "threads/unregistered.h"

#include "arch/thread_pointer.h"
#include "sanitizer_common/sanitizer_allocator_internal.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>

using namespace pagetide;

//===- pthread_create, thrd_create ----------------------------------------===//

namespace {
constexpr uptr kAttrBytes = 48; // the part of a pthread_attr_t that is in use
} // namespace

PAGETIDE_INTERCEPTOR(int, pthread_create, void *thread, const void *attr,
                     void *(*run)(void *), void *arg) {
  OnInterceptedCall();
  if (!ShadowReady())
    return RESOLVED(pthread_create)(thread, attr, run, arg);
  ScopedBlockSignals block_signals; // see PrepareThread
  const u64 signals = block_signals.Saved();
  ThreadStart *start =
      PrepareThread(run, arg, SetsSignals(attr) ? nullptr : &signals, attr);
  DidRead(attr, attr ? kAttrBytes : 0);
  MayHaveWritten(thread, sizeof(uptr)); // before the thread runs
  int error = RESOLVED(pthread_create)(thread, attr, RunThread, start);
  if (error)
    CancelThread(start);
  else
    DidWrite(thread, sizeof(uptr));
  return error;
}

/// libc's thrd_create does not call pthread_create by name. The result of a C11
/// thread is an int, which fits in a pthread's pointer.
PAGETIDE_INTERCEPTOR(int, thrd_create, void *thread, int (*run)(void *),
                     void *arg) {
  OnInterceptedCall();
  if (!ShadowReady())
    return RESOLVED(thrd_create)(thread, run, arg);
  using Erased = void *(*)(void *);
  ScopedBlockSignals block_signals;
  const u64 signals = block_signals.Saved();
  ThreadStart *start =
      PrepareThread((Erased)(void *)run, arg, &signals, nullptr);
  MayHaveWritten(thread, sizeof(uptr));
  int result = RESOLVED(thrd_create)(
      thread, [](void *p) { return (int)(sptr)RunThread(p); }, start);
  if (result != 0 /* thrd_success */)
    CancelThread(start);
  else
    DidWrite(thread, sizeof(uptr));
  return result;
}

//===- clone --------------------------------------------------------------===//

namespace {
/// For a process made by clone. It has a copy of its parent's stack, and so of
/// this.
struct ProcessStart {
  int (*run)(void *);
  void *arg;
  u64 signals;
};
} // namespace

/// The first function of a process that does not share its parent's memory.
static int RunProcess(void *arg) {
  const ProcessStart &start = *(const ProcessStart *)arg;
  RenewInChild(false);
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&start.signals, 0, 8);
  int status = start.run(start.arg);
  // libc's clone makes the exit system call next. On the last thread this ends
  // the process, unless the recorder's threads keep it alive.
  if (IsOnlyThread()) {
    EndOfProgram(trace::EndReason::kExit);
    Syscall(SYS_exit_group, (uptr)status);
  }
  return status;
}

/// The kernel tells the parent, and the child, the child's number. If the
/// parent has waited, the child has ended or runs another program.
static void DidWriteNumbers(int flags, const pid_t *parent_tid,
                            const pid_t *child_tid) {
  if (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD))
    DidWriteAt(parent_tid);
  const int by_child = flags & CLONE_VFORK
                           ? CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
                           : CLONE_CHILD_SETTID;
  if ((flags & CLONE_VM) && (flags & by_child))
    DidWriteAt(child_tid);
}

PAGETIDE_INTERCEPTOR(int, clone, int (*run)(void *), void *stack, int flags,
                     void *arg, ...) {
  // The flags decide which of these are passed. The others are not used.
  va_list list;
  va_start(list, arg);
  auto *parent_tid = va_arg(list, pid_t *);
  void *tls = va_arg(list, void *);
  auto *child_tid = va_arg(list, pid_t *);
  va_end(list);
  NeedReal();
  const auto call = [&](int (*first)(void *), void *argument) {
    if (ShadowReady() && run && stack) // libc puts both there
      DidWrite((void *)(((uptr)stack & ~uptr{15}) - 16), 16);
    const int tid =
        REAL(clone)(first, stack, flags, argument, parent_tid, tls, child_tid);
    if (tid > 0 && ShadowReady())
      DidWriteNumbers(flags, parent_tid, child_tid);
    return tid;
  };
  // If the parent waits for the child, this is a vfork. The two never run at
  // the same time, and share the parent's shadow.
  const bool waits = (flags & CLONE_VM) && (flags & CLONE_VFORK);
  if (!(flags & CLONE_VM ? ShadowReady() : ControlReady()) || !run || !stack ||
      waits)
    return call(run, arg);
  // Until the child has a shadow of its own, no handler may run in it.
  ScopedBlockSignals block_signals;
  if (!(flags & CLONE_VM)) {
    ProcessStart start = {run, arg, block_signals.Saved()};
    return call(RunProcess, &start);
  }
  CloneStart *start = PrepareClone(run, arg, block_signals.Saved());
  const int tid = call(RunClone, start);
  if (tid < 0)
    CancelClone(start);
  return tid;
}

//===- Jumps --------------------------------------------------------------===//

/// The pass marks what setjmp writes (pass/Accesses.cpp).
static void MarkJump(const void *buffer) {
  const u8 *has_mask = (const u8 *)buffer + kJumpRegisterBytes;
  DidRead(buffer, kJumpRegisterBytes + sizeof(int));
  if (*(const int *)has_mask)
    DidRead(has_mask + 8, 8);
}

#define PAGETIDE_JUMP(name)                                                    \
  PAGETIDE_INTERCEPTOR(void, name, void *buffer, int value) {                  \
    NeedReal();                                                                \
    MarkJump(buffer);                                                          \
    AbandonCalls(StackOfJump(buffer));                                         \
    REAL(name)(buffer, value);                                                 \
  }

PAGETIDE_JUMP(longjmp)
PAGETIDE_JUMP(_longjmp)
PAGETIDE_JUMP(siglongjmp)
PAGETIDE_JUMP(__longjmp_chk)

//===- SIGEV_THREAD -------------------------------------------------------===//

namespace {
/// The program's function and its argument. Each pair has one of these. It is
/// never freed, because libc may use it after the timer has been deleted.
struct Notification {
  void (*function)(sigval);
  sigval value;
  Notification *next;
};
} // namespace

PAGETIDE_ZERO_IN_CHILD static Lock notifications_lock;
static Notification *notifications;

static void Notify(sigval value) {
  auto *notification = (Notification *)value.sival_ptr;
  AdoptThread();
  notification->function(notification->value);
}

/// The event, with Notify instead of its function.
static sigevent WrapEvent(const sigevent &event) {
  ScopedLock hold(notifications_lock);
  Notification *n = notifications;
  while (n && (n->function != event.sigev_notify_function ||
               n->value.sival_ptr != event.sigev_value.sival_ptr))
    n = n->next;
  if (!n) {
    n = (Notification *)__sanitizer::InternalAlloc(sizeof(Notification));
    *n = {event.sigev_notify_function, event.sigev_value, notifications};
    notifications = n;
  }
  sigevent wrapped = event;
  wrapped.sigev_notify_function = Notify;
  wrapped.sigev_value.sival_ptr = n;
  return wrapped;
}

/// libc looks at the event's kind first. Its attributes are behind it.
static void DidReadEvent(const sigevent *event) {
  if (event && ShadowReady())
    MarkMayRead((uptr)event, sizeof(*event));
}

PAGETIDE_INTERCEPTOR(int, timer_create, clockid_t clock, sigevent *event,
                     timer_t *timer) {
  NeedReal();
  int result;
  if (!ShadowReady() || !event || event->sigev_notify != SIGEV_THREAD) {
    result = REAL(timer_create)(clock, event, timer);
  } else {
    sigevent wrapped = WrapEvent(*event);
    result = REAL(timer_create)(clock, &wrapped, timer);
  }
  DidReadEvent(event);
  if (!result)
    DidWriteAt(timer);
  return result;
}

PAGETIDE_INTERCEPTOR(int, mq_notify, int queue, const sigevent *event) {
  NeedReal();
  DidReadEvent(event);
  if (!ShadowReady() || !event || event->sigev_notify != SIGEV_THREAD)
    return REAL(mq_notify)(queue, event);
  sigevent wrapped = WrapEvent(*event);
  return REAL(mq_notify)(queue, &wrapped);
}

//===- callback_thread.cpp - Giving periods to the program ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/callback_thread.h"

#include "platform/errno_names.h"
#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "platform/messages.h"
#include "threads/runtime_threads.h"
#include "threads/service_thread.h"
#include "threads/slots.h"
#include "threads/suspend_marks.h"
#include "threads/thread_start.h"

#include "interception/interception.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

DECLARE_REAL(int, pthread_create, void *thread, const void *attr,
             void *(*run)(void *), void *arg)
DECLARE_REAL(int, pthread_attr_init, void *attr)
DECLARE_REAL(int, pthread_attr_destroy, void *attr)
DECLARE_REAL(int, pthread_attr_setdetachstate, void *attr, int state)

namespace pagetide {

namespace {
struct Callback {
  Lock set_lock;  ///< one SetCallback at a time
  bool at_exit;   ///< SetCallback has registered its handler
  Lock run_lock;  ///< held while the callback runs; never by fork
  Lock data_lock; ///< protects function and user; held for a moment
  pagetide_callback function;
  void *user;
  bool thread_runs;
  bool leaves; ///< EndCallbackThread wants it to end
  u64 signals; ///< the mask of the thread that created it
  /// True until the callback returns, in a child that was forked in a callback
  /// and when a callback ends the program. No second callback runs meanwhile.
  bool inherited;
  u32 state; ///< CallbackState
  /// Changes when the callback thread has something to look at.
  u32 wake;
  const pagetide_period *period;
};
} // namespace

static Callback callback;

enum CallbackState : u32 { kIdle, kWaits, kRuns, kDone };

static void WakeCallbackThread() {
  __atomic_add_fetch(&callback.wake, 1, __ATOMIC_RELEASE);
  FutexWakeAll(&callback.wake);
}

/// False if the state is not `from`.
static bool ChangeState(CallbackState from, CallbackState to) {
  u32 expected = from;
  return __atomic_compare_exchange_n(&callback.state, &expected, (u32)to, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool HasCallback() {
  return __atomic_load_n(&callback.function, __ATOMIC_ACQUIRE) &&
         !__atomic_load_n(&callback.inherited, __ATOMIC_ACQUIRE);
}

void RunCallback(const pagetide_period &period) {
  callback.run_lock.Acquire();
  pagetide_callback function;
  void *user;
  {
    ScopedLock hold(callback.data_lock); // a handler may fork
    function = callback.function;
    user = callback.user;
  }
  if (function) {
    bool was_in_request = self.in_request;
    self.in_request = true;
    const bool suspended = SuspendMarks(+1);
    function(&period, user);
    if (suspended)
      SuspendMarks(-1);
    self.in_request = was_in_request;
  }
  callback.inherited = false;
  callback.run_lock.Release();
}

bool AbandonCallback() {
  __atomic_store_n(&callback.inherited, true, __ATOMIC_RELEASE);
  if (!IsRuntimePthread(GetTidRaw()))
    return false;
  StoreRelease(&callback.state, kDone);
  WakeRecorder();
  return true;
}

static void *CallbackThread(void *) {
  // A pthread, so that the callback may do what any code may do. Its accesses
  // belong to the observation, not to the program.
  SuspendMarks(+1);
  SetRuntimePthread(GetTidRaw());
  for (bool last = false;;) {
    u32 seen = LoadAcquire(&callback.wake);
    if (ChangeState(kWaits, kRuns)) {
      RunCallback(*callback.period);
      ChangeState(kRuns, kDone); // unless AbandonCallback did it
      WakeRecorder();
    } else if (last) {
      break;
    } else if (NoProgramThreadLeft() || LoadAcquire(&callback.leaves)) {
      // Another period may have come in between: look once more.
      last = true;
      __atomic_store_n(&callback.thread_runs, false, __ATOMIC_SEQ_CST);
    } else {
      FutexWait(&callback.wake, seen);
    }
  }
  const bool leaves = LoadAcquire(&callback.leaves);
  SetRuntimePthread(0);
  if (leaves)
    return nullptr;
  // libc runs the handlers of exit() on the last thread. They are recorded if
  // this is the last one.
  self.suspended = 0;
  AdoptThread();
  Syscall(SYS_rt_sigprocmask, SIG_SETMASK, (uptr)&callback.signals, 0, 8);
  return nullptr;
}

bool StartCallbackElsewhere(const pagetide_period &period) {
  if (!__atomic_load_n(&callback.thread_runs, __ATOMIC_ACQUIRE))
    return false;
  callback.period = &period;
  __atomic_store_n(&callback.state, (u32)kWaits, __ATOMIC_SEQ_CST);
  // The thread may be about to end. It still runs what it sees before that.
  if (!__atomic_load_n(&callback.thread_runs, __ATOMIC_SEQ_CST) &&
      ChangeState(kWaits, kIdle))
    return false;
  WakeCallbackThread();
  return true;
}

bool CallbackDone() { return LoadAcquire(&callback.state) == kDone; }

static int StartThread() {
  SetLastThreadHook(WakeCallbackThread);
  pthread_attr_t attr;
  REAL(pthread_attr_init)(&attr);
  REAL(pthread_attr_setdetachstate)(&attr, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error;
  {
    // The thread inherits the mask, because the program's handlers must not run
    // on it.
    ScopedBlockSignals block_signals;
    callback.signals = block_signals.Saved();
    error = REAL(pthread_create)(&thread, &attr, CallbackThread, nullptr);
  }
  REAL(pthread_attr_destroy)(&attr);
  if (!error)
    __atomic_store_n(&callback.thread_runs, true, __ATOMIC_RELEASE);
  return error;
}

int SetCallback(pagetide_callback function, void *user, void (*at_exit)()) {
  if (self.in_request || __atomic_load_n(&callback.inherited, __ATOMIC_ACQUIRE))
    return PAGETIDE_BUSY;
  ScopedLock set(callback.set_lock);
  if (function && !callback.at_exit) {
    callback.at_exit = true;
    atexit(at_exit);
  }
  if (function && !callback.thread_runs && StartThread())
    return PAGETIDE_NO_MEMORY;
  callback.run_lock.Acquire(); // waits until the former callback returns
  {
    ScopedLock hold(callback.data_lock);
    callback.user = user;
    __atomic_store_n(&callback.function, function, __ATOMIC_RELEASE);
  }
  callback.run_lock.Release();
  return PAGETIDE_OK;
}

void LockCallback() { callback.data_lock.Acquire(); }
void UnlockCallback() { callback.data_lock.Release(); }

/// For a forked child, which has only the thread that forked.
static void ForgetCallbackThread() {
  callback.state = kIdle;
  callback.thread_runs = false;
  RenewRuntimeThreadsInChild(self.ended);
}

void DropCallbackInChild() {
  callback.function = nullptr;
  ForgetCallbackThread();
}

/// Starts the thread if there is a callback and no thread.
static void StartIfWanted(const char *who) {
  const bool wanted = callback.function && !callback.thread_runs;
  const int error = wanted ? StartThread() : 0;
  if (error)
    WarnOrStop("process %u, %s, has no thread for its period "
               "callback: %s. The callback is called for periods that the "
               "program ends, but not for periods that the clock ends. Raise "
               "the limits on threads (ulimit -u) and memory (-v, -d).\n",
               GetPidRaw(), who, DescribeErrno(error));
}

void EndCallbackThread() {
  StoreRelease(&callback.leaves, true);
  WakeCallbackThread();
  while (RuntimePthreads())
    SleepNs(20 * 1000);
  StoreRelease(&callback.leaves, false);
}

void RenewCallbackThread() {
  StartIfWanted("which has entered another namespace");
}

void RenewCallbackInChild() {
  callback.data_lock.Reset();
  callback.set_lock.Reset();
  // The thread that forked may be in the callback. Then it goes on in it.
  callback.inherited = self.in_request;
  if (!callback.inherited)
    callback.run_lock.Reset();
  ForgetCallbackThread();
  StartIfWanted("a forked child");
}

} // namespace pagetide

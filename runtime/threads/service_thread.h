//===- service_thread.h - Start, wake and watch the recorder's thread -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process has one recorder, on a thread of its own (raw_thread.h). Other
// threads put a request where the recorder finds it, wake the recorder, and
// wait for the answer. This file starts the thread, wakes it, and notices when
// it has gone. The folder recorder/ says what the recorder does.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// What the recorder gives to its thread.
struct ServiceHooks {
  /// The recorder's loop. Does not return.
  void (*run)(void *);
  /// The control block has moved, so what is published there must be published
  /// again. Called on the recorder's thread, before `run`.
  void (*control_block_moved)();
  /// Something has ended only the recorder's thread. Called on any thread.
  void (*gone)();
};

/// Second phase, before any request. The calling process is the one that the
/// recorder serves.
void InitServiceThread(const ServiceHooks &hooks);

/// Starts the recorder's thread if it does not run. Returns 0 or an errno.
int EnsureRecorder();
/// True if the recorder's thread runs.
bool RecorderRuns();
/// True if the recorder's thread has been ended from outside.
bool RecorderHasGone();

/// The process that the recorder serves.
u32 ServedProcess();
/// False in a child of vfork: it shares all this memory, but the recorder does
/// not serve it.
bool InServedProcess();

/// From here to RestartRecorder() the recorder's thread may be away: nobody
/// else starts it, and who waits for it waits on. Signals are blocked.
void BeginAbsence();
void EndAbsence();
/// Waits until the recorder's thread, which is about to end, has ended.
void AwaitEndOfRecorder();
/// In an absence, after AwaitEndOfRecorder(): starts it again. Its one
/// descriptor is a copy of `fd`, and it runs `prepare` first. Returns 0 or an
/// errno.
int RestartRecorder(int fd, int (*prepare)());
/// From now on nothing can be requested. What is in the shadow and in staging
/// stays there, for `pagetide record` to harvest.
void GiveUpRecorder();

//===- For threads that wait for the recorder -----------------------------===//

/// The recorder has something to look at.
void WakeRecorder();
/// Waits as FutexWait does, but for a second at most. False if the recorder's
/// thread has gone; then all waiting threads have been woken.
bool WaitForRecorder(const u32 *word, u32 expected);

//===- On the recorder's thread -------------------------------------------===//

/// How often the recorder was woken.
u32 RecorderWakes();
/// Sleeps unless it was woken since RecorderWakes() returned `seen`; until
/// `deadline` (0: for ever).
void RecorderSleep(u32 seen, u64 deadline = 0);
/// The memfd in the recorder's table of descriptors.
inline int RecorderMemfd() { return 0; }

//===- Fork ---------------------------------------------------------------===//

void LockServiceThread();
void UnlockServiceThread();
/// In the child, where no thread of the runtime exists. Sets all variables of
/// the recorder's threads to zero (fork_reset.h) and unmaps their memory.
void RenewServiceThreadInChild();

} // namespace pagetide

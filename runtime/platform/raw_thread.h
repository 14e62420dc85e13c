//===- raw_thread.h - Threads that libc does not know ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder and the trace writer run on threads made by the clone system
// call itself. A pthread would break three things:
//   - To libc the program stays single-threaded: stdio and malloc take no locks
//     and cost the same, and "the last thread exits" still ends the process.
//   - These threads have a table of descriptors of their own, so that the
//     program may close and reuse any number.
//   - They can be started where pthread_create must not be called, as in a
//     forked child under another sanitizer.
//
// Code on such a thread may use system calls and our own memory, but no
// function of libc that relies on thread-local storage. The thread still has a
// zeroed block for that storage: a compiler or libc function may touch errno or
// the stack guard.

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

struct RawThread {
  void (*run)(void *arg);
  void *arg;
  const char *name; ///< as ps shows it, 15 bytes at most
  /// The thread shares the descriptors of the thread that starts it (for
  /// threads started by raw threads). Otherwise it has one descriptor, number
  /// 0, a copy of `keep_fd`; or none if that is -1.
  bool share_fds;
  int keep_fd;
  /// Runs first on the new thread, unless it is null. If it returns an errno,
  /// the thread ends and StartRawThread returns that errno.
  int (*prepare)();

  u32 tid;   ///< set by the kernel before the thread runs; 0 when it has ended
  u32 ready; ///< 1 once the thread's descriptors are its own
  uptr unshare; ///< what the thread itself must stop sharing (CLONE_FILES, ...)
  int error;    ///< errno that kept it from starting
  void *stack;
  void *tls;
  uptr tls_bytes;
};

/// Starts `thread`, which must outlive it. All signals are blocked in it, and
/// its shadow base is the caller's. Returns 0 or an errno. When it returns the
/// thread has its own descriptors: the caller may close its copy of keep_fd.
int StartRawThread(RawThread &thread);

/// Waits for the end of a thread that was asked to end, and frees its memory.
void JoinRawThread(RawThread &thread);

/// Waits as FutexWait does, but for a second at most, for something that
/// `thread` will do. False if the thread no longer exists: a system call filter
/// has ended it alone.
bool WaitForRawThread(const RawThread &thread, const u32 *word, u32 expected);

/// In a forked child, where the parent's raw threads do not exist: unmaps their
/// stacks and what they had mapped.
void ForgetRawThreads();

} // namespace pagetide

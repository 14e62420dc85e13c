//===- raw_thread.cpp - Threads that libc does not know -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/raw_thread.h"

#include "arch/thread_pointer.h"
#include "platform/locks.h"
#include "platform/own_memory.h"
#include "platform/program_memory.h"
#include "platform/raw_thread_ids.h"

#include "sanitizer_common/sanitizer_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace pagetide {

constexpr uptr kStackBytes = 256 * 1024;

void ForgetRawThreads() {
  DeregisterRawThreads();
  UnmapMemoryOfRawThreads();
}

/// Lays out a block for thread-local storage: zeros below and above the thread
/// pointer, as far as the calling thread's errno lies below its own (libc's
/// static block).
static void *MakeTls(RawThread &thread) {
  uptr below = ThreadPointer() - (uptr)&errno;
  if (below > (uptr{1} << 30)) // errno is not where we expect it: use a page
    below = kPageBytes;
  below = PageDown(below + 2 * kPageBytes);
  constexpr uptr kAbove = kPageBytes; // struct pthread's head: self, guards
  thread.tls_bytes = below + kAbove;
  thread.tls = MapForRawThread(thread.tls_bytes);
  if (!thread.tls)
    return nullptr;
  void *const pointer = (u8 *)thread.tls + below;
  PointToItself(pointer);
  return pointer;
}

/// Keeps keep_fd, as number 0, and closes all other descriptors. Returns 0 or
/// an errno.
static int TakeDescriptors(const RawThread &thread) {
  constexpr uptr kCloexec = 02000000; // O_CLOEXEC
  uptr first = thread.keep_fd < 0 ? 0 : 1;
  if (thread.keep_fd > 0) {
    uptr result = Syscall(SYS_dup3, (uptr)thread.keep_fd, 0, kCloexec);
    if (Failed(result)) { // a filter may forbid only one of them
      Syscall(SYS_close, 0);
      result = Syscall(SYS_fcntl, (uptr)thread.keep_fd, F_DUPFD_CLOEXEC, 0);
    }
    if (Failed(result))
      return ErrnoOf(result);
  }
  if (Failed(Syscall(SYS_close_range, first, ~0u, 0))) // before Linux 5.9
    for (uptr fd = first; fd < 65536; ++fd)
      Syscall(SYS_close, fd);
  return 0;
}

static int Main(void *arg) {
  RawThread &thread = *(RawThread *)arg;
  Syscall(SYS_prctl, PR_SET_NAME, (uptr)thread.name);
  int error = 0;
  if (thread.unshare)
    error = ErrnoOf(Syscall(SYS_unshare, thread.unshare));
  if (!error && !thread.share_fds)
    error = TakeDescriptors(thread);
  // The program may leave its working directory and unmount what that is on.
  if (!UnderSystemCallFilter())
    Syscall(SYS_chdir, (uptr) "/");
  if (!error && thread.prepare)
    error = thread.prepare();
  thread.error = error;
  StoreRelease(&thread.ready, 1);
  FutexWakeAll(&thread.ready);
  if (!error)
    thread.run(thread.arg);
  return 0;
}

static void FreeMemory(RawThread &thread) {
  if (thread.stack)
    Unmap(thread.stack, kStackBytes);
  if (thread.tls)
    Unmap(thread.tls, thread.tls_bytes);
  thread.stack = thread.tls = nullptr;
}

int StartRawThread(RawThread &thread) {
  thread.stack = MapForRawThread(kStackBytes);
  void *tls = MakeTls(thread);
  if (!thread.stack || !tls) {
    FreeMemory(thread);
    return ENOMEM;
  }
  Syscall(SYS_mprotect, (uptr)thread.stack, kPageBytes, PROT_NONE);
  if (!RegisterRawThread(&thread.tid)) {
    FreeMemory(thread);
    return EAGAIN;
  }
  thread.ready = 0;
  thread.unshare = 0;
  thread.error = 0;
  ScopedBlockSignals block_signals; // inherited: the thread never takes one
  // Not CLONE_FILES: the thread gets a copy of the table and closes all but its
  // own. Not CLONE_FS: the program's chdir and umask must not affect the
  // thread.
  int flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
              CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |
              (thread.share_fds ? CLONE_FILES : 0);
  auto clone = [&](int flags) {
    return (uptr)__sanitizer::internal_clone(
        Main, (void *)((uptr)thread.stack + kStackBytes), flags, &thread,
        (int *)&thread.tid, tls, (int *)&thread.tid);
  };
  uptr result = clone(flags);
  if (ErrnoOf(result) == EINVAL) {
    // QEMU only makes threads that share all that pthreads share. The new
    // thread then unshares the rest before it does anything else.
    constexpr int kShared = CLONE_FS | CLONE_FILES;
    thread.unshare = (uptr)(kShared & ~flags);
    result = clone(flags | kShared);
  }
  if (Failed(result)) {
    StoreRelease(&thread.tid, 0u);
    DeregisterRawThread(&thread.tid);
    FreeMemory(thread);
    return ErrnoOf(result);
  }
  while (!LoadAcquire(&thread.ready))
    if (!WaitForRawThread(thread, &thread.ready, 0)) {
      thread.error = ESRCH;
      break;
    }
  int error = thread.error;
  if (error)
    JoinRawThread(thread);
  return error;
}

bool WaitForRawThread(const RawThread &thread, const u32 *word, u32 expected) {
  FutexWait(word, expected, MonotonicNs() + kNsPerSec);
  return LoadAcquire(&thread.tid) != 0 || LoadAcquire(word) != expected;
}

void JoinRawThread(RawThread &thread) {
  for (u32 tid; (tid = LoadAcquire(&thread.tid)) != 0;)
    // The kernel's wake at CLONE_CHILD_CLEARTID is not a private one.
    Syscall(SYS_futex, (uptr)&thread.tid, 0 /* FUTEX_WAIT */, tid, 0);
  DeregisterRawThread(&thread.tid);
  FreeMemory(thread);
}

} // namespace pagetide

//===- blocked_call.cpp - The system call in which a thread sleeps --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/blocked_call.h"

#include "platform/fork_reset.h"
#include "platform/options.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {

long BlockedCall(u32 tid) {
  char path[64], text[32];
  internal_snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", tid);
  uptr fd =
      Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr)path, O_RDONLY | O_CLOEXEC);
  if (Failed(fd))
    return -1;
  uptr n = Syscall(SYS_read, fd, (uptr)text, sizeof(text) - 1);
  Syscall(SYS_close, fd);
  // For a thread in a page fault the kernel shows -1, for one that runs a word.
  if (Failed(n) || !n || text[0] < '0' || text[0] > '9')
    return -1;
  text[n] = 0;
  return (long)internal_atoll(text);
}

bool HasSettledSince(const ThreadCpu &before, u64 *asleep_at) {
  const u64 now = ThreadCpuNs(before.tid);
  const bool known = now != kUnknownNs && before.ns != kUnknownNs;
  if (!now || (known && now - before.ns >= GetFlags().settle))
    return true;
  // A thread whose CPU time advances now is running, so it is not blocked. That
  // saves a look into /proc, which costs more than all the rest.
  const u64 then = ThreadCpuNs(before.tid);
  const bool runs = known && then != kUnknownNs && then > now;
  if (runs || BlockedCall(before.tid) < 0)
    return false;
  if (asleep_at && known && ThreadCpuNs(before.tid) == then)
    *asleep_at = then;
  return true;
}

bool ListThreads(PageVec<u32> &tids) {
  tids.clear();
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD, (uptr) "/proc/self/task",
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Failed(fd))
    return false;
  alignas(dirent64) u8 buffer[1024]; // a signal handler may have little stack
  uptr n;
  while (
      !Failed(n = Syscall(SYS_getdents64, fd, (uptr)buffer, sizeof(buffer))) &&
      n)
    for (uptr at = 0; at < n;) {
      const auto *entry = (const dirent64 *)(buffer + at);
      at += entry->d_reclen;
      if (u32 tid = (u32)internal_atoll(entry->d_name))
        tids.push_back(tid);
    }
  Syscall(SYS_close, fd);
  return !Failed(n);
}

} // namespace pagetide

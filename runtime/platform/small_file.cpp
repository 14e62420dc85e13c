//===- small_file.cpp - Reads files such as those in /proc ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/small_file.h"

#include <fcntl.h>
#include <sys/syscall.h>

namespace pagetide {

uptr OpenSmallFile(int directory, const char *name) {
  // A FIFO that nobody writes to must not stop the process.
  return Syscall(SYS_openat, (uptr)directory, (uptr)name,
                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

uptr ReadSmallFile(uptr fd, char *text, uptr room) {
  uptr used = 0;
  while (used < room) {
    const uptr n = Syscall(SYS_read, fd, (uptr)text + used, room - used);
    if (Failed(n) || n == 0)
      break;
    used += n;
  }
  return used;
}

uptr ReadSmallFile(int directory, const char *name, char *text, uptr room) {
  const uptr fd = OpenSmallFile(directory, name);
  if (Failed(fd))
    return 0;
  const uptr used = ReadSmallFile(fd, text, room);
  Syscall(SYS_close, fd);
  return used;
}

} // namespace pagetide

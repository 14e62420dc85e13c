//===- program_memory.cpp - Read the program's structures -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "platform/program_memory.h"

#include "platform/internal_mem.h"
#include "platform/messages.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace pagetide {

static bool filtered;

void NoteSystemCallFilter() {
  __atomic_store_n(&filtered, true, __ATOMIC_RELEASE);
}

bool UnderSystemCallFilter() { return LoadAcquire(&filtered); }

/// Looks for an inherited filter. A filter may kill the process for prctl, so
/// that is the last resort. Opening files is safe: the loader has done so.
void InitCopies() {
  static bool looked;
  if (looked)
    return;
  looked = true;
  char text[4096];
  uptr fd = Syscall(SYS_openat, (uptr)AT_FDCWD,
                    (uptr) "/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
  if (Failed(fd)) { // there is no /proc
    if (Syscall(SYS_prctl, PR_GET_SECCOMP))
      NoteSystemCallFilter();
    return;
  }
  uptr n = Syscall(SYS_read, fd, (uptr)text, sizeof(text) - 1);
  Syscall(SYS_close, fd);
  text[Failed(n) ? 0 : n] = 0;
  const char *line = __sanitizer::internal_strstr(text, "\nSeccomp:\t");
  if (line && line[sizeof("\nSeccomp:\t") - 1] != '0')
    NoteSystemCallFilter();
}

/// Has the kernel copy from one place of this process to another. Returns the
/// errno, or EFAULT if a part is not there.
static int CopyByCall(void *to, const void *from, uptr bytes) {
  // Not process_vm_readv: it pins what it reads, and a page that is shared with
  // a forked process is copied for that.
  iovec local = {const_cast<void *>(from), bytes}, remote = {to, bytes};
  const uptr n = Syscall(SYS_process_vm_writev, GetTidRaw(), (uptr)&local, 1,
                         (uptr)&remote, 1, 0);
  if (Failed(n))
    return ErrnoOf(n);
  return n == bytes ? 0 : EFAULT;
}

bool IsMapped(uptr address, uptr bytes) {
  // This does nothing, but fails with ENOMEM if a page is not mapped. So would
  // mincore, which filters of services do not allow.
  return !Failed(Syscall(SYS_msync, PageDown(address),
                         bytes < kPageBytes ? kPageBytes : bytes, MS_ASYNC));
}

bool ReadIfMapped(void *to, uptr from, uptr bytes) {
  return !UnderSystemCallFilter() && !CopyByCall(to, (const void *)from, bytes);
}

/// Copies of memory that the program names, if the call tells that it is there.
static bool CopyOfProgram(void *to, const void *from, uptr bytes) {
  if (!UnderSystemCallFilter()) {
    const int error = CopyByCall(to, from, bytes);
    if (!error || error == EFAULT)
      return !error;
  }
  InternalMemcpy(to, from, bytes);
  return true;
}

bool CopyFromProgram(void *to, const void *from, uptr bytes) {
  return !bytes || (from && CopyOfProgram(to, from, bytes));
}

bool CopyToProgram(void *to, const void *from, uptr bytes) {
  return to && CopyOfProgram(to, from, bytes);
}

} // namespace pagetide

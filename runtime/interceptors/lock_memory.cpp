//===- lock_memory.cpp - mlockall without the shadow ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interceptors/lock_memory.h"

#include "platform/page_vec.h"
#include "platform/proc_maps.h"
#include "platform/syscalls.h"
#include "shadow/shadow.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace pagetide {

/// Locks future mappings. The kernel locks their pages when they are touched
/// (MCL_ONFAULT), even if the program asked to lock them at once: new threads'
/// shadows are such mappings, and must not be filled.
static int LockFuture() {
  return ErrnoOf(Syscall(SYS_mlockall, MCL_FUTURE | MCL_ONFAULT));
}

static int LockCurrent(bool on_fault) {
  MappingList list = {};
  PageVec<char> text;
  int error = ReadMappings(list, ScratchRange, text);
  if (error) // no /proc: lock all pages when they are touched, ours too
    error = ErrnoOf(Syscall(SYS_mlockall, MCL_CURRENT | MCL_ONFAULT));
  for (const Mapping &m : list.entries) {
    if (error)
      break;
    constexpr uptr kOnFault = 1; // MLOCK_ONFAULT
    error = ErrnoOf(
        Syscall(SYS_mlock2, m.start, m.bytes, on_fault ? kOnFault : uptr{0}));
    // Pages without read rights cannot be loaded. mlockall locks them without
    // an error, and ignores mappings that have gone since.
    if (error == ENOMEM && !(m.protection & (PROT_READ | PROT_WRITE)))
      error = 0;
    // [vvar] and the like.
    if (error == EFAULT || error == EINVAL)
      error = 0;
  }
  list.entries.Free();
  list.names.Free();
  text.Free();
  return error;
}

int LockAllMemory(int flags) {
  if ((flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) ||
      !(flags & (MCL_CURRENT | MCL_FUTURE)))
    return EINVAL;
  struct rlimit limit;
  if (flags & MCL_FUTURE)
    if (int error = LockFuture())
      return error;
  if (!(flags & MCL_CURRENT))
    return 0;
  int error = LockCurrent(flags & MCL_ONFAULT);
  // If the limit is exceeded mlock returns ENOMEM; mlockall returns EPERM if
  // the limit is 0.
  if (error == ENOMEM &&
      !Failed(Syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (uptr)&limit)) &&
      !limit.rlim_cur)
    error = EPERM;
  return error;
}

} // namespace pagetide

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

/// What will be mapped. The kernel locks such pages as they are touched
/// (MCL_ONFAULT), whatever the program asked for: a new thread's shadow is mapped
/// then too, and must not be filled.
static int LockFuture() {
  return ErrnoOf(Syscall(SYS_mlockall, MCL_FUTURE | MCL_ONFAULT));
}

static int LockCurrent(bool on_fault) {
  MappingList list = {};
  PageVec<char> text;
  int error = ReadMappings(list, ScratchRange, text);
  if (error) // no /proc: pages are locked as they are touched, ours too
    error = ErrnoOf(Syscall(SYS_mlockall, MCL_CURRENT | MCL_ONFAULT));
  for (const Mapping &m : list.entries) {
    if (error)
      break;
    constexpr uptr kOnFault = 1; // MLOCK_ONFAULT
    error = ErrnoOf(
        Syscall(SYS_mlock2, m.start, m.bytes, on_fault ? kOnFault : uptr{0}));
    // Pages that cannot be read cannot be brought in. mlockall locks them and
    // does not complain, nor about what has gone meanwhile.
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
  // mlock says ENOMEM of the limit; mlockall says EPERM where there is none.
  if (error == ENOMEM &&
      !Failed(Syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (uptr)&limit)) &&
      !limit.rlim_cur)
    error = EPERM;
  return error;
}

} // namespace pagetide

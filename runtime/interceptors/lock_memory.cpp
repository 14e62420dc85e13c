//===- lock_memory.cpp - mlockall without the shadow ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/lock_memory.h"

#include "interceptors/real_functions.h"
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

constexpr uptr kOnFault = 1; // MLOCK_ONFAULT: loads nothing

/// Whether as many bytes more can be locked. Asked with a mapping that no other
/// thread knows.
static bool CanLockMore(uptr bytes) {
  const uptr probe =
      Syscall(SYS_mmap, 0, bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uptr)-1, 0);
  if (Failed(probe))
    return false;
  const uptr locked = Syscall(SYS_mlock2, probe, bytes, kOnFault);
  Syscall(SYS_munmap, probe, bytes);
  return !Failed(locked);
}

/// Whether mlock has refused a mapping because of the limit. mlockall does not
/// mind pages that cannot be loaded (beyond a file's end, without rights), nor
/// mappings that have gone since the list was made. Another thread may map and
/// unmap such a place in step with these looks, so few looks say nothing.
static bool ExceedsLimit(const Mapping &m) {
  constexpr int kLooks = 32;
  if (CanLockMore(m.bytes))
    return false;
  for (int i = 0; i < kLooks; ++i)
    if (ErrnoOf(Syscall(SYS_mlock2, m.start, m.bytes, kOnFault)) != ENOMEM ||
        Failed(Syscall(SYS_msync, m.start, m.bytes, MS_ASYNC)))
      return false;
  return true;
}

/// Returns 0 or ENOMEM. This library comes last and may fail: without it the
/// program would have had that much more of its limit.
static int LockCurrent(const MappingList &list, bool on_fault) {
  const auto lock = [on_fault](const Mapping &m) {
    return ErrnoOf(Syscall(SYS_mlock2, m.start, m.bytes, uptr{on_fault}));
  };
  for (const Mapping &m : list.entries)
    if (!IsOwnCode((void *)m.start) && lock(m) == ENOMEM && ExceedsLimit(m))
      return ENOMEM;
  for (const Mapping &m : list.entries)
    if (IsOwnCode((void *)m.start))
      lock(m);
  return 0;
}

static int LockAll(int flags, const MappingList *current) {
  if (flags & MCL_FUTURE) {
    if (int error = LockFuture())
      return error;
  } else {
    Syscall(SYS_munlockall); // a former call's MCL_FUTURE no longer holds
  }
  return current ? LockCurrent(*current, flags & MCL_ONFAULT) : 0;
}

int LockAllMemory(int flags) {
  if ((flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) ||
      !(flags & (MCL_CURRENT | MCL_FUTURE)))
    return EINVAL;
  if (!(flags & MCL_CURRENT))
    return LockAll(flags, nullptr);
  MappingList list = {};
  PageVec<char> text;
  // Without /proc: lock all pages when they are touched, ours too.
  int error = ReadMappings(list, ScratchRange, text)
                  ? ErrnoOf(Syscall(SYS_mlockall, (uptr)flags | MCL_ONFAULT))
                  : LockAll(flags, &list);
  list.entries.Free();
  list.names.Free();
  text.Free();
  // If the limit is exceeded mlock returns ENOMEM; mlockall returns EPERM if
  // the limit is 0.
  struct rlimit limit;
  if (error == ENOMEM &&
      !Failed(Syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (uptr)&limit)) &&
      !limit.rlim_cur)
    error = EPERM;
  return error;
}

} // namespace pagetide

//===- guards.cpp - Calls that could break the runtime --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may change its address space, its handler of SIGSEGV or the GS base
// in a way that breaks the runtime. Such calls are refused or adapted. What
// they read and write is marked as usual.

#include "interceptors/guards.h"

#include "interceptors/filters.h"
#include "interceptors/interceptor.h"
#include "interceptors/libc_sizes.h"
#include "interceptors/lock_memory.h"
#include "interceptors/mark_faults.h"
#include "interceptors/move_memory.h"
#include "platform/control_marker.h"
#include "platform/faulting_reads.h"
#include "platform/locks.h"
#include "platform/mapping_changes.h"
#include "platform/messages.h"
#include "platform/proc_maps.h"
#include "threads/thread_start.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <asm/prctl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <stdarg.h>
#include <sys/shm.h>
#include <sys/syscall.h>

using namespace pagetide;

//===- Address space ------------------------------------------------------===//

namespace {
constexpr uptr kMapFailed = ~uptr{0};
uptr Beyond() { return uptr{1} << CoveredBits(); }
} // namespace

/// Ends the program if a call would replace or remove a part of the shadow.
/// Otherwise marks would be lost, or the program would be killed without an
/// explanation.
static void KeepShadow(const char *call, uptr address, uptr bytes) {
  if (bytes && ControlReady() && OverlapsShadow(address, bytes))
    Fatal("%s(0x%zx, %zu) would replace memory of Pagetide's shadow. If the "
          "program maps at fixed addresses, let it test with "
          "MAP_FIXED_NOREPLACE whether they are free. A program that unmaps "
          "all memory that it does not know cannot be recorded.\n",
          call, address, bytes);
}

/// False, with errno set, if no shadow covers the range.
static bool InReach(const char *call, uptr address, uptr bytes) {
  if (address < Beyond() && bytes <= Beyond() - address)
    return true;
  static u32 told;
  if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
    Warning("%s at the fixed address 0x%zx was refused with ENOMEM: no "
            "shadow covers addresses of more than %u bits.\n",
            call, address, CoveredBits());
  errno = ENOMEM;
  return false;
}

/// Who writes a mapping of mmap with these flags.
static Writers WritersOf(u64 flags) {
  if (flags & MAP_SHARED) // MAP_SHARED_VALIDATE has the bit too
    return Writers::kShared;
  return flags & MAP_ANONYMOUS ? Writers::kOwn : Writers::kFile;
}

template <typename Real>
static void *Map(Real real, uptr address, uptr bytes, int protection, int flags,
                 int fd, sptr offset) {
  const Writers writers = WritersOf((u64)flags);
  const ChangingMappings changing(writers != Writers::kOwn);
  if (ControlReady() && address) {
    const bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
    if (fixed && !InReach("mmap", address, bytes))
      return (void *)kMapFailed;
    if (!fixed && address >= Beyond())
      address = 0; // only a hint, with which the kernel may go beyond 47 bits
    if ((flags & MAP_FIXED) && !(flags & MAP_FIXED_NOREPLACE))
      KeepShadow("mmap", address, bytes);
  }
  void *result = real((void *)address, bytes, protection, flags, fd, offset);
  if ((uptr)result != kMapFailed) {
    NoteMappingChange((uptr)result, bytes, writers);
    if (flags & MAP_ANONYMOUS)
      MappedByProgram((uptr)result, bytes);
  }
  return result;
}

PAGETIDE_INTERCEPTOR(void *, mmap, void *address, uptr bytes, int protection,
                     int flags, int fd, sptr offset) {
  return Map(RESOLVED(mmap), (uptr)address, bytes, protection, flags, fd,
             offset);
}
PAGETIDE_INTERCEPTOR(void *, mmap64, void *address, uptr bytes, int protection,
                     int flags, int fd, sptr offset) {
  return Map(RESOLVED(mmap64), (uptr)address, bytes, protection, flags, fd,
             offset);
}
PAGETIDE_INTERCEPTOR(int, munmap, void *address, uptr bytes) {
  KeepShadow("munmap", (uptr)address, bytes);
  const ChangingMappings changing;
  const int result = RESOLVED(munmap)(address, bytes);
  NoteMappingChange((uptr)address, bytes);
  return result;
}

/// After madvise or the like.
static void NoteAdvice(uptr address, uptr bytes, int advice) {
  switch (advice) {
  case MADV_FREE: // from now on the kernel may clear the pages at any time
    return NoteContentChange(address, bytes, Writers::kKernel);
  case MADV_DONTNEED:
  case MADV_DONTNEED_LOCKED:
  case MADV_REMOVE:
    return NoteContentChange(address, bytes);
  case MADV_DONTFORK:
  case MADV_WIPEONFORK:
    return NoteForkChange(address, bytes, Writers::kUnkept);
  case MADV_MERGEABLE:
    return NoteForkChange(address, bytes, Writers::kMerged);
  default:
    return;
  }
}

/// Who watches memory has switched huge pages off (engines/write_tracking).
/// Then nobody follows this advice, and it does not fail.
static bool IsIgnored(uptr address, uptr bytes, int advice) {
  constexpr int kCollapse = 25; // MADV_COLLAPSE
  constexpr uptr kHugeBytes = uptr{2} << 20;
  const uptr first = (address + kHugeBytes - 1) & ~(kHugeBytes - 1);
  const uptr end = PageUp(address + bytes);
  return advice == kCollapse && errno == EINVAL && ControlReady() &&
         first <= (end & ~(kHugeBytes - 1)) && AnyWatched(address, end);
}

PAGETIDE_INTERCEPTOR(int, madvise, void *address, uptr bytes, int advice) {
  const ChangingMappings changing;
  int result = RESOLVED(madvise)(address, bytes, advice);
  if (result && IsIgnored((uptr)address, bytes, advice))
    result = 0;
  NoteAdvice((uptr)address, bytes, advice);
  return result;
}

static uptr BytesOfSegment(int id) {
  shmid_ds segment = {};
  Syscall(SYS_shmctl, (uptr)id, IPC_STAT, (uptr)&segment);
  return segment.shm_segsz;
}

PAGETIDE_INTERCEPTOR(void *, shmat, int id, const void *address, int flags) {
  const ChangingMappings changing(/*may_share=*/true);
  void *result = RESOLVED(shmat)(id, address, flags);
  if ((uptr)result != kMapFailed)
    NoteMappingChange((uptr)result, BytesOfSegment(id), Writers::kShared);
  return result;
}

/// After mremap. If no old range is given, the memory is at both addresses from
/// now on, which the kernel does for shared memory alone.
static void NoteMove(uptr address, uptr old_bytes, uptr moved, uptr bytes) {
  NoteMappingChange(address, old_bytes);
  if (moved != kMapFailed)
    NoteMappingChange(moved, bytes,
                      old_bytes ? Writers::kOwn : Writers::kShared, address);
}

PAGETIDE_INTERCEPTOR(void *, mremap, void *address, uptr old_bytes, uptr bytes,
                     int flags, ...) {
  va_list list;
  va_start(list, flags);
  void *target = va_arg(list, void *);
  va_end(list);
  if (ControlReady()) {
    KeepShadow("mremap", (uptr)address, old_bytes);
    if (flags & MREMAP_FIXED) {
      if (!InReach("mremap", (uptr)target, bytes))
        return (void *)kMapFailed;
      KeepShadow("mremap", (uptr)target, bytes);
    }
  }
  const ChangingMappings changing(/*may_share=*/true);
  void *moved = (void *)MoveMemory(
      {(uptr)address, old_bytes, bytes, (uptr)flags, (uptr)target}, [&] {
        return (uptr)RESOLVED(mremap)(address, old_bytes, bytes, flags, target);
      });
  NoteMove((uptr)address, old_bytes, (uptr)moved, bytes);
  return moved;
}

/// Locking all memory would fill the shadow with pages: tens of gigabytes.
PAGETIDE_INTERCEPTOR(int, mlockall, int flags) {
  if (!ControlReady())
    return RESOLVED(mlockall)(flags);
  if (int error = LockAllMemory(flags)) {
    errno = error;
    return -1;
  }
  return 0;
}

//===- The GS base --------------------------------------------------------===//

static void KeepBase(int code) {
  if (code == ARCH_SET_GS && ShadowReady())
    Fatal("the program sets the GS base, which Pagetide uses for the shadow. "
          "It cannot be recorded.\n");
}

PAGETIDE_INTERCEPTOR(int, arch_prctl, int code, uptr address) {
  KeepBase(code);
  int result = RESOLVED(arch_prctl)(code, address);
  if (result == 0 && (code == ARCH_GET_FS || code == ARCH_GET_GS))
    DidWrite((void *)address, 8);
  return result;
}

//===- Faults -------------------------------------------------------------===//

struct sigaction;
namespace {
constexpr int kSigSegv = 11;
constexpr int kRestart = 0x10000000;   // SA_RESTART
constexpr int kOnce = (int)0xc0000000; // SA_RESETHAND, SA_NODEFER
} // namespace

/// What sigaction gives, without the runtime's own handler in `previous`.
static int HideOurAction(int result, struct sigaction *previous) {
  if (result == 0 && previous && HideControlAction(*(void **)previous))
    __builtin_memset((void *)previous, 0, kActionBytes);
  return result;
}

PAGETIDE_INTERCEPTOR(int, sigaction, int number, const struct sigaction *action,
                     struct sigaction *previous) {
  if (action)
    OnSignalAction((u32)number);
  if (IsIdle())
    return HideOurAction(REAL_OF(sigaction)(number, action, previous),
                         previous);
  NeedReal();
  int result;
  if (number == kSigSegv && ShadowReady())
    result = SetFaultHandler(action, previous, REAL(sigaction));
  else
    result = HideOurAction(REAL(sigaction)(number, action, previous), previous);
  if (result) { // libc copies the action before the kernel refuses it
    MayHaveRead((const void *)action, action ? kActionBytes : 0);
    return result;
  }
  if (action)
    DidRead((const void *)action, kActionBytes);
  if (previous)
    DidWrite((void *)previous, kActionBytes);
  return result;
}

/// signal() under each of its names. Which one a program calls depends on the
/// standard that it requests from the headers.
#define PAGETIDE_SIGNAL(name, flags)                                           \
  PAGETIDE_INTERCEPTOR(void *, name, int number, void *handler) {              \
    if (number == kSigSegv && ShadowReady())                                   \
      return SetFaultSignal(handler, flags, RESOLVED(sigaction));              \
    OnSignalAction((u32)number);                                               \
    void *previous = REAL_OF(name)(number, handler);                           \
    HideControlAction(previous);                                               \
    return previous;                                                           \
  }
PAGETIDE_SIGNAL(signal, kRestart)
PAGETIDE_SIGNAL(ssignal, kRestart)
PAGETIDE_SIGNAL(bsd_signal, kRestart)
PAGETIDE_SIGNAL(sysv_signal, kOnce)
PAGETIDE_SIGNAL(__sysv_signal, kOnce)
#undef PAGETIDE_SIGNAL

PAGETIDE_INTERCEPTOR(void *, sigset, int number, void *handler) {
  const bool only_blocks = (uptr)handler == 2; // SIG_HOLD
  if (!only_blocks)
    OnSignalAction((u32)number);
  void *previous = REAL_OF(sigset)(number, handler);
  HideControlAction(previous);
  return previous;
}
PAGETIDE_INTERCEPTOR(int, sigignore, int number) {
  OnSignalAction((u32)number);
  return REAL_OF(sigignore)(number);
}

//===- Bare system calls --------------------------------------------------===//

void pagetide::BeforeBareCall(long number, const u64 (&a)[6]) {
  switch (number) {
  case SYS_seccomp:
    return BeforeFilter(a[0], a[1], a[2]);
  case SYS_userfaultfd:
    return AvoidFaultingReads();
  case SYS_prctl:
    if (a[0] == PR_SET_SECCOMP)
      BeforeFilterByControl(a[1], a[2]);
    return;
  case SYS_arch_prctl:
    return KeepBase((int)a[0]);
  case SYS_mmap:
    if ((a[3] & MAP_FIXED) && !(a[3] & MAP_FIXED_NOREPLACE))
      KeepShadow("mmap", a[0], a[1]);
    return;
  case SYS_munmap:
    return KeepShadow("munmap", a[0], a[1]);
  case SYS_mremap:
    KeepShadow("mremap", a[0], a[1]);
    if (a[3] & MREMAP_FIXED)
      KeepShadow("mremap", a[4], a[2]);
    return;
  default:
    return;
  }
}

bool pagetide::ChangesMappings(long number) {
  switch (number) {
  case SYS_mmap:
  case SYS_munmap:
  case SYS_mremap:
  case SYS_madvise:
  case SYS_brk:
  case SYS_shmat:
    return true;
  default:
    return false;
  }
}

bool pagetide::MayShareMappings(long number, const u64 (&a)[6]) {
  return number == SYS_mremap || number == SYS_shmat ||
         (number == SYS_mmap && WritersOf(a[3]) != Writers::kOwn);
}

void pagetide::NoteBareChange(long number, const u64 (&a)[6], long result) {
  const bool succeeded = !Failed((uptr)result);
  switch (number) {
  case SYS_mmap:
    if (succeeded)
      NoteMappingChange((uptr)result, a[1], WritersOf(a[3]));
    return;
  case SYS_mremap:
    return NoteMove(a[0], a[1], succeeded ? (uptr)result : kMapFailed, a[2]);
  case SYS_shmat:
    if (succeeded)
      NoteMappingChange((uptr)result, BytesOfSegment((int)a[0]),
                        Writers::kShared);
    return;
  case SYS_munmap:
    return NoteMappingChange(a[0], a[1]);
  case SYS_madvise:
    return NoteAdvice(a[0], a[1], (int)a[2]);
  case SYS_brk: // what was given back is fresh when it comes again
    return NoteMappingChange(a[0], Beyond() - a[0]);
  default:
    return;
  }
}

//===- syscall.cpp - libc's syscall() -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks, at return, what syscall(number, ...) has read and written. Common
// calls are marked here, to the byte. Others are marked as raw_numbers.def or
// sanitizer_common's hooks say. raw_not_seen.txt lists the calls that none of
// them knows. Calls that do not return
// exactly once, on this stack, are passed on unchanged.
//
//===----------------------------------------------------------------------===//

#include "arch/older_calls.h"
#include "interceptors/guards.h"
#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/io.h"
#include "interceptors/move_memory.h"
#include "interceptors/syscall_macros.h"
#include "interceptors/tabled.h"
#include "platform/mapping_changes.h"
#include "shadow/marking.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_platform_limits_posix.h"

#include <linux/futex.h>
#include <sys/syscall.h>

using namespace __sanitizer;

//===- sanitizer_common's hooks -------------------------------------------===//

// Both halves of a hook run after the call has succeeded. Then addresses are
// valid, and we know what was written.
#define COMMON_SYSCALL_PRE_READ_RANGE(p, bytes) pagetide::DidRead(p, bytes)
#define COMMON_SYSCALL_PRE_WRITE_RANGE(p, bytes)
#define COMMON_SYSCALL_POST_READ_RANGE(p, bytes) pagetide::DidRead(p, bytes)
#define COMMON_SYSCALL_POST_WRITE_RANGE(p, bytes) pagetide::DidWrite(p, bytes)

// Programs are meant to call the hooks. Here they are internal.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#include "sanitizer_common/sanitizer_common_syscalls.inc"
#pragma clang diagnostic pop

namespace pagetide {
namespace {

using Arguments = const u64 (&)[6];

template <uptr... I> struct Indices {};
template <uptr N, uptr... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <uptr... I> struct MakeIndices<0, I...> {
  using Type = Indices<I...>;
};

template <typename... A, uptr... I>
void CallPre(void (*hook)(A...), Arguments a, Indices<I...>) {
  (void)a;
  hook((A)a[I]...);
}
template <typename... A, uptr... I>
void CallPost(void (*hook)(long, A...), long result, Arguments a,
              Indices<I...>) {
  hook(result, (A)a[I]...);
}
template <typename... A>
void Hook(void (*before)(A...), void (*after)(long, A...), long result,
          Arguments a) {
  CallPre(before, a, typename MakeIndices<sizeof...(A)>::Type());
  CallPost(after, result, a, typename MakeIndices<sizeof...(A)>::Type());
}

//===- The common calls ---------------------------------------------------===//

void DidRead(u64 p, uptr bytes) {
  if (p)
    MarkRead(p, bytes);
}
void DidWrite(u64 p, uptr bytes) {
  if (p)
    MarkWrite(p, bytes);
}

/// Marks what one of the common calls has done; false for others.
bool DidCall(long number, long result, Arguments a) {
  switch (number) {
  case SYS_read:
  case SYS_pread64:
  case SYS_recvfrom:
    MarkInput((void *)a[1], a[2], result);
    return number != SYS_recvfrom || result < 0;
  case SYS_write:
  case SYS_pwrite64:
  case SYS_sendto:
    MarkOutput((void *)a[1], a[2], result);
    if (number == SYS_sendto && result >= 0)
      DidRead(a[4], a[5]);
    return true;
  case SYS_readv:
  case SYS_preadv:
  case SYS_preadv2:
    Pieces((iovec *)a[1], (sptr)a[2]).MarkInputDone(result);
    return true;
  case SYS_writev:
  case SYS_pwritev:
  case SYS_pwritev2:
  case SYS_vmsplice:
    MarkOutputPieces((iovec *)a[1], (sptr)a[2], result);
    return true;
  case SYS_getrandom:
    MarkInput((void *)a[0], a[1], result);
    return true;
  case SYS_sched_getaffinity:
  case SYS_getcwd:
  case SYS_getdents64:
  case kOldReadlink: {
    const int at = number == SYS_sched_getaffinity ? 2
                   : number == SYS_getcwd          ? 0
                                                   : 1;
    if (result > 0)
      DidWrite(a[at], (uptr)result);
    if (number == kOldReadlink)
      DidReadPath((const char *)a[0], result < 0);
    return true;
  }
  case SYS_readlinkat:
    if (result > 0)
      DidWrite(a[2], (uptr)result);
    DidReadPath((const char *)a[1], result < 0);
    return true;
  case kOldPoll:
  case SYS_ppoll:
    if (result >= 0 && a[1]) {
      DidRead(a[0], a[1] * 8);
      DidWrite(a[0] + 6, a[1] * 8 - 6);
    }
    if (number == SYS_ppoll && result >= 0) {
      DidRead(a[2], kTimeBytes);
      DidWrite(a[2], kTimeBytes); // the time that was left
      DidRead(a[3], a[4]);
    }
    return true;
  case kOldSelect:
  case SYS_pselect6:
    if (result >= 0) {
      for (int i = 1; i <= 3; ++i) {
        DidRead(a[i], (a[0] + 63) / 64 * 8);
        DidWrite(a[i], (a[0] + 63) / 64 * 8);
      }
      DidRead(a[4], kTimeBytes);
      DidWrite(a[4], kTimeBytes);
    }
    return true;
  case SYS_statx:
    DidReadPath((const char *)a[1], result < 0);
    if (!result)
      DidWrite(a[4], 256);
    return true;
  case SYS_memfd_create:
    DidReadPath((const char *)a[0], result < 0);
    return true;
  case SYS_futex:
    // Other threads decide whether other operations read the word.
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (!result || errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR) {
        MarkRead(a[0], 4);
        DidRead(a[3], kTimeBytes);
      }
      return true;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_REQUEUE:
      return true;
    default:
      MarkMayRead(a[0], 4);
      MarkMayWrite(a[0], 4);
      MarkMayWrite(a[4], 4);
      return true;
    }
  case SYS_rt_sigprocmask:
    if (!result) {
      DidRead(a[1], a[3]);
      DidWrite(a[2], a[3]);
    }
    return true;
  case SYS_waitid:
    if (!result)
      DidWrite(a[2], 28);
    return true;
  case SYS_wait4:
    if (result > 0) {
      DidWrite(a[1], 4);
      DidWrite(a[3], 144);
    }
    return true;
  case SYS_clock_gettime:
  case SYS_clock_getres:
    if (!result)
      DidWrite(a[1], kTimeBytes);
    return true;
  case SYS_getgroups:
    if (a[0] && result > 0)
      DidWrite(a[1], (uptr)result * 4);
    return true;
  case SYS_sendfile:
    if (result >= 0) {
      DidRead(a[2], 8);
      DidWrite(a[2], 8);
    }
    return true;
  case SYS_getcpu:
    if (!result) {
      DidWrite(a[0], 4);
      DidWrite(a[1], 4);
    }
    return true;
  default:
    return false;
  }
}

/// Marks by the hooks what a successful call has done.
void DidHookedCall(long number, long result, Arguments a) {
  switch (number) {
#define PAGETIDE_HOOK(name) PAGETIDE_HOOK_AS(name, name)
#define PAGETIDE_HOOK_AS(name, hook)                                           \
  case SYS_##name:                                                             \
    return Hook(__sanitizer_syscall_pre_impl_##hook,                           \
                __sanitizer_syscall_post_impl_##hook, result, a);
#include "arch/older_calls.def"
    // Sockets and descriptors.
    PAGETIDE_HOOK(recvfrom)
    PAGETIDE_HOOK(recvmsg)
    PAGETIDE_HOOK(recvmmsg)
    PAGETIDE_HOOK(sendmsg)
    PAGETIDE_HOOK(sendmmsg)
    PAGETIDE_HOOK(accept)
    PAGETIDE_HOOK(accept4)
    PAGETIDE_HOOK(bind)
    PAGETIDE_HOOK(connect)
    PAGETIDE_HOOK(getsockname)
    PAGETIDE_HOOK(getpeername)
    PAGETIDE_HOOK(getsockopt)
    PAGETIDE_HOOK(setsockopt)
    PAGETIDE_HOOK(socketpair)
    PAGETIDE_HOOK(pipe2)
    PAGETIDE_HOOK(epoll_ctl)
    PAGETIDE_HOOK(epoll_pwait)
    PAGETIDE_HOOK(splice)
    PAGETIDE_HOOK(signalfd4)
    PAGETIDE_HOOK(timerfd_settime)
    PAGETIDE_HOOK(timerfd_gettime)
    // Files and their names.
    PAGETIDE_HOOK(openat)
    PAGETIDE_HOOK(faccessat)
    PAGETIDE_HOOK(linkat)
    PAGETIDE_HOOK(symlinkat)
    PAGETIDE_HOOK(unlinkat)
    PAGETIDE_HOOK(renameat)
    PAGETIDE_HOOK(fchmodat)
    PAGETIDE_HOOK(fchownat)
    PAGETIDE_HOOK(mkdirat)
    PAGETIDE_HOOK(chdir)
    PAGETIDE_HOOK(truncate)
    PAGETIDE_HOOK_AS(fstat, newfstat)
    PAGETIDE_HOOK(newfstatat)
    PAGETIDE_HOOK(statfs)
    PAGETIDE_HOOK(fstatfs)
    PAGETIDE_HOOK(utimensat)
    PAGETIDE_HOOK(getxattr)
    PAGETIDE_HOOK(lgetxattr)
    PAGETIDE_HOOK(fgetxattr)
    PAGETIDE_HOOK(setxattr)
    PAGETIDE_HOOK(lsetxattr)
    PAGETIDE_HOOK(fsetxattr)
    PAGETIDE_HOOK(listxattr)
    PAGETIDE_HOOK(llistxattr)
    PAGETIDE_HOOK(flistxattr)
    // Time, processes, the system.
    PAGETIDE_HOOK(times)
    PAGETIDE_HOOK(gettimeofday)
    PAGETIDE_HOOK(clock_nanosleep)
    PAGETIDE_HOOK(nanosleep)
    PAGETIDE_HOOK(getitimer)
    PAGETIDE_HOOK(setitimer)
    PAGETIDE_HOOK(timer_gettime)
    PAGETIDE_HOOK(timer_settime)
    PAGETIDE_HOOK(getresuid)
    PAGETIDE_HOOK(getresgid)
    PAGETIDE_HOOK(sched_getparam)
    PAGETIDE_HOOK(sched_rr_get_interval)
    PAGETIDE_HOOK(rt_sigpending)
    PAGETIDE_HOOK(rt_sigtimedwait)
    PAGETIDE_HOOK(mincore)
    PAGETIDE_HOOK(getrlimit)
    PAGETIDE_HOOK(setrlimit)
    PAGETIDE_HOOK(prlimit64)
    PAGETIDE_HOOK(getrusage)
    PAGETIDE_HOOK_AS(uname, newuname)
    PAGETIDE_HOOK(sysinfo)
    PAGETIDE_HOOK(msgsnd)
    PAGETIDE_HOOK(msgrcv)
    PAGETIDE_HOOK(process_vm_readv)
    PAGETIDE_HOOK(process_vm_writev)
    PAGETIDE_HOOK(name_to_handle_at)
    PAGETIDE_HOOK(get_mempolicy)
    PAGETIDE_HOOK(io_getevents)
#undef PAGETIDE_HOOK
#undef PAGETIDE_HOOK_AS
  default:
    return;
  }
}

/// What the kernel may be writing during a common call that can take long.
__attribute__((always_inline)) inline InFlight RangeInFlight(long number,
                                                             Arguments a) {
  switch (number) {
  case SYS_read:
  case SYS_pread64:
  case SYS_recvfrom:
    return InFlight((void *)a[1], a[2]);
  case SYS_getrandom:
    return InFlight((void *)a[0], a[1]);
  default:
    return InFlight(nullptr, 0);
  }
}

} // namespace
} // namespace pagetide

//===- The interceptor ----------------------------------------------------===//

// Some calls return twice, on another stack, or not at all. So no frame of ours
// may be on the stack below them. A few instructions jump to libc's function
// for these numbers, and to PagetideMarkedSyscall for all others.

DEFINE_REAL(long, syscall, long number, ...)

extern "C" __attribute__((visibility("hidden"), used)) long
PagetideMarkedSyscall(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  using namespace pagetide;
  OnInterceptedCall();
  const u64 arguments[6] = {a, b, c, d, e, f};
  if (ControlReady())
    BeforeBareCall(number, arguments);
  const auto call = [&] { return RESOLVED(syscall)(number, a, b, c, d, e, f); };
  const auto change_mappings = [&] {
    return number == SYS_mremap
               ? (long)MoveMemory({a, b, c, d, e}, [&] { return (uptr)call(); })
               : call();
  };
  if (ChangesMappings(number)) {
    const ChangingMappings changing(MayShareMappings(number, arguments));
    const long done = change_mappings();
    NoteBareChange(number, arguments, done);
    return done;
  }
  if (!ShadowReady())
    return call();
  InFlight in_flight = RangeInFlight(number, arguments);
  long result = KernelCall(RESOLVED(syscall))(number, a, b, c, d, e, f);
  if (!DidCall(number, result, arguments) &&
      !DidRawCall(number, result, arguments) && result >= 0)
    DidHookedCall(number, result, arguments);
  return result;
}

extern "C" __attribute__((visibility("hidden"), used)) void *
PagetideRealSyscall() {
  return (void *)RESOLVED(syscall);
}

//===- raw_calls.cpp - What system calls have read and written ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common calls are here, to the byte. raw_numbers.def has others, and
// raw_not_seen.txt lists the calls that neither knows.

#include "interceptors/raw_calls.h"

#include "arch/older_calls.h"
#include "interceptors/call_effects.h"

#include <errno.h>
#include <sys/syscall.h>

namespace pagetide::calls {

using Arguments = const u64 (&)[6];

/// One of those that raw_numbers.def describes.
static bool DidTabledCall(long number, long done, Arguments arguments) {
  switch (number) {
#define RAW(name, when, effects)                                               \
  case SYS_##name: {                                                           \
    struct Call : Effects {                                                    \
      using Effects::Effects;                                                  \
      void Mark([[maybe_unused]] sptr result, [[maybe_unused]] uptr a,         \
                [[maybe_unused]] uptr b, [[maybe_unused]] uptr c,              \
                [[maybe_unused]] uptr d, [[maybe_unused]] uptr e,              \
                [[maybe_unused]] uptr f) const {                               \
        effects;                                                               \
      }                                                                        \
    };                                                                         \
    Call(Succeeded(done, When::k_##when))                                      \
        .Mark(done, arguments[0], arguments[1], arguments[2], arguments[3],    \
              arguments[4], arguments[5]);                                     \
    return true;                                                               \
  }
#include "interceptors/raw_numbers.def"
  default:
    return false;
  }
}

bool DidCall(long number, long result, Arguments a) {
  constexpr uptr kTimeBytes = 16; // timespec
  const Effects call(result >= 0);
  switch (number) {
  case SYS_read:
  case SYS_pread64:
  case SYS_recvfrom:
    call.Input(a[1], a[2], result);
    if (number == SYS_recvfrom)
      DidTabledCall(number, result, a);
    return true;
  case SYS_write:
  case SYS_pwrite64:
  case SYS_sendto:
    call.Output(a[1], a[2], result);
    if (number == SYS_sendto)
      DidTabledCall(number, result, a);
    return true;
  case SYS_readv:
  case SYS_preadv:
  case SYS_preadv2:
    call.Copied(a[1], a[2], result);
    return true;
  case SYS_writev:
  case SYS_pwritev:
  case SYS_pwritev2:
    call.Passed(a[1], a[2], result);
    return true;
  case SYS_vmsplice:
    call.Spliced(u32(a[0]), a[1], a[2], result);
    return true;
  case SYS_getrandom:
    call.Input(a[0], a[1], result);
    return true;
  case SYS_sched_getaffinity:
  case SYS_getcwd:
  case SYS_getdents64:
  case kOldReadlink: {
    const int at = number == SYS_sched_getaffinity ? 2
                   : number == SYS_getcwd          ? 0
                                                   : 1;
    if (result > 0)
      call.Write(a[at], uptr(result));
    if (number == kOldReadlink)
      call.ReadPath(a[0]);
    return true;
  }
  case SYS_readlinkat:
    if (result > 0)
      call.Write(a[2], uptr(result));
    call.ReadPath(a[1]);
    return true;
  case SYS_statx:
    call.ReadPath(a[1]);
    if (!result)
      call.Write(a[4], 256);
    return true;
  case SYS_memfd_create:
    call.ReadPath(a[0]);
    return true;
  case SYS_futex:
    call.Futex(result, a[0], a[1], a[3], a[4]);
    return true;
  case SYS_wait4:
    if (result > 0) {
      call.Write(a[1], 4);
      call.Write(a[3], 144);
    }
    return true;
  case SYS_clock_gettime:
  case SYS_clock_getres:
    if (!result)
      call.Write(a[1], kTimeBytes);
    return true;
  case SYS_getgroups:
    if (a[0] && result > 0)
      call.Write(a[1], uptr(result) * 4);
    return true;
  case SYS_getcpu:
    if (!result) {
      call.Write(a[0], 4);
      call.Write(a[1], 4);
    }
    return true;
  default:
    return DidTabledCall(number, result, a);
  }
}

} // namespace pagetide::calls

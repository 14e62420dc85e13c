//===- syscall.cpp - libc's syscall() -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks, at return, what syscall(number, ...) has read and written. Common
// calls are marked here, to the byte. Others are marked as raw_numbers.def
// says. raw_not_seen.txt lists the calls that neither knows. Calls that do not
// return exactly once, on this stack, are passed on unchanged.
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

#include <linux/futex.h>
#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {
namespace {

using Arguments = const u64 (&)[6];

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
    if (number == SYS_recvfrom)
      DidRawCall(number, result, a);
    return true;
  case SYS_write:
  case SYS_pwrite64:
  case SYS_sendto:
    MarkOutput((void *)a[1], a[2], result);
    if (number == SYS_sendto)
      DidRawCall(number, result, a);
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
  long result = RESOLVED(syscall)(number, a, b, c, d, e, f);
  if (!DidCall(number, result, arguments))
    DidRawCall(number, result, arguments);
  return result;
}

extern "C" __attribute__((visibility("hidden"), used)) void *
PagetideRealSyscall() {
  return (void *)RESOLVED(syscall);
}

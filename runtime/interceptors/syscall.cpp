//===- syscall.cpp - libc's syscall() -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks, at return, what syscall(number, ...) has read and written, as
// raw_calls.cpp says. Calls that do not return exactly once, on this stack, are
// passed on unchanged.

#include "interceptors/guards.h"
#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/move_memory.h"
#include "interceptors/namespaces.h"
#include "interceptors/raw_calls.h"
#include "interceptors/syscall_macros.h"
#include "platform/mapping_changes.h"
#include "shadow/marking.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <sys/syscall.h>

using namespace __sanitizer;

namespace pagetide {
namespace {

using Arguments = const u64 (&)[6];

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
  case SYS_msgrcv:
    return InFlight((void *)a[1], a[2] + sizeof(long));
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
  if (number == SYS_unshare)
    return EnterNamespace("unshare", a, [&](u64 flags) {
      return (int)RESOLVED(syscall)(number, flags);
    });
  if (number == SYS_setns)
    return EnterNamespace("setns", b, [&](u64 flags) {
      return (int)RESOLVED(syscall)(number, a, flags);
    });
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
  calls::DidCall(number, result, arguments);
  return result;
}

extern "C" __attribute__((visibility("hidden"), used)) void *
PagetideRealSyscall() {
  return (void *)RESOLVED(syscall);
}

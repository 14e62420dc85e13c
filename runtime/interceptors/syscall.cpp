//===- syscall.cpp - libc's syscall() -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks, at return, what syscall(number, ...) has read and written, as
// raw_calls.cpp says. Calls that do not return exactly once, on this stack, are
// passed on unchanged.

#include "interceptors/child_environment.h"
#include "interceptors/guards.h"
#include "interceptors/in_flight.h"
#include "interceptors/interceptor.h"
#include "interceptors/move_memory.h"
#include "interceptors/namespaces.h"
#include "interceptors/raw_calls.h"
#include "interceptors/waiting_calls.h"
#include "platform/mapping_changes.h"
#include "shadow/marking.h"

#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_libc.h"

#include <sched.h>
#include <sys/syscall.h>

using namespace __sanitizer;

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
  InFlight in_flight(WrittenWhileWaiting(number, arguments));
  long result = RESOLVED(syscall)(number, a, b, c, d, e, f);
  calls::DidCall(number, result, arguments);
  return result;
}

namespace pagetide {

/// What a call may do that does not return here exactly once. Its arguments are
/// those of the processor's registers.
static void MarkBefore(long number, u64 a, u64 b, u64 c, u64 d) {
  struct CloneArguments {
    u64 flags, pidfd, child_tid, parent_tid;
  };
  const auto may_write = [](u64 p) { MayHaveWritten((const void *)p, 4); };
  const auto numbers = [=](const CloneArguments &clone) {
    if (clone.flags & CLONE_PIDFD)
      may_write(clone.pidfd);
    if (clone.flags & CLONE_PARENT_SETTID)
      may_write(clone.parent_tid);
    if ((clone.flags & CLONE_VM) && (clone.flags & CLONE_CHILD_SETTID))
      may_write(clone.child_tid);
  };
  switch (number) {
  case SYS_execve:
    return MayReadArguments((const char *)a, (Strings)b, (Strings)c);
  case SYS_execveat:
    return MayReadArguments((const char *)b, (Strings)c, (Strings)d);
  case SYS_clone:
    return numbers({a, c, d, c});
  case SYS_clone3:
    MayHaveRead((const void *)a, b);
    return numbers(ValueAt((const CloneArguments *)a));
  default:
    return;
  }
}

} // namespace pagetide

extern "C" __attribute__((visibility("hidden"), used)) void *
PagetideRealSyscall(long number, u64 a, u64 b, u64 c, u64 d) {
  using namespace pagetide;
  if (ShadowReady())
    MarkBefore(number, a, b, c, d);
  return (void *)RESOLVED(syscall);
}

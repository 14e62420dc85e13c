//===- address_limit.cpp - RLIMIT_AS without the shadow -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/address_limit.h"

#include "platform/fork_reset.h"
#include "platform/locks.h"
#include "shadow/shadow.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace pagetide {

/// How much higher the kernel's limit is than the program's. 0 if the program
/// has set none.
static u64 added;
PAGETIDE_ZERO_IN_CHILD static Lock limit_lock;

static rlim_t Plus(rlim_t limit, u64 bytes) {
  return limit > RLIM_INFINITY - bytes ? RLIM_INFINITY : limit + bytes;
}
static rlim_t Minus(rlim_t limit, u64 bytes) {
  return limit == RLIM_INFINITY || limit < bytes ? limit : limit - bytes;
}

static int Call(const struct rlimit *limit, struct rlimit *previous) {
  return ErrnoOf(
      Syscall(SYS_prlimit64, 0, RLIMIT_AS, (uptr)limit, (uptr)previous));
}

int LimitAddressSpace(const struct rlimit *limit, struct rlimit *previous) {
  ScopedLock hold(limit_lock);
  struct rlimit before;
  if (int error = Call(nullptr, &before))
    return error;
  if (limit) {
    if (limit->rlim_cur > limit->rlim_max)
      return EINVAL;
    // An earlier hard limit includes what the shadow took at that time.
    u64 add = added ? added : ShadowBytes();
    struct rlimit raised = {Plus(limit->rlim_cur, add),
                            Plus(limit->rlim_max, add)};
    if (int error = Call(&raised, nullptr))
      return error;
    const bool limits =
        raised.rlim_cur != RLIM_INFINITY || raised.rlim_max != RLIM_INFINITY;
    if (previous)
      *previous = {Minus(before.rlim_cur, added),
                   Minus(before.rlim_max, added)};
    added = limits ? add : 0;
    return 0;
  }
  if (previous)
    *previous = {Minus(before.rlim_cur, added), Minus(before.rlim_max, added)};
  return 0;
}

/// Changes only the soft limit. Writes no variable, because in a child of vfork
/// variables are the parent's.
static void Shift(bool up) {
  struct rlimit limit;
  if (!added || Call(nullptr, &limit) || limit.rlim_cur == RLIM_INFINITY)
    return;
  limit.rlim_cur =
      up ? Plus(limit.rlim_cur, added) : Minus(limit.rlim_cur, added);
  Call(&limit, nullptr);
}

void LowerAddressLimitForExec() { Shift(false); }
void RaiseAddressLimit() { Shift(true); }

} // namespace pagetide

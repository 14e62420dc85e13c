//===- address_limit.h - RLIMIT_AS without the shadow ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that limits its own address space means its own memory: the kernel
// is told the limit plus what the shadow takes at that moment, and the program
// reads back what it set.
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_ADDRESS_LIMIT_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_ADDRESS_LIMIT_H

#include "platform/syscalls.h"

struct rlimit;

namespace pagetide {

/// prlimit for RLIMIT_AS of this process. Returns 0 or an errno.
int LimitAddressSpace(const struct rlimit *limit, struct rlimit *previous);

/// The program that exec starts has no shadow: it gets the soft limit as it was
/// set (a hard limit, once lowered, could not be put back if exec fails).
void LowerAddressLimitForExec();
/// After an exec that failed.
void RaiseAddressLimit();

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_ADDRESS_LIMIT_H

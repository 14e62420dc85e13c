//===- address_limit.h - RLIMIT_AS without the shadow ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that limits its address space means its own memory. So the kernel
// gets that limit plus what the shadow takes at that moment, and the program
// reads back what it has set.

#pragma once

#include "platform/syscalls.h"

struct rlimit;

namespace pagetide {

/// prlimit for RLIMIT_AS of this process. Returns 0 or an errno.
int LimitAddressSpace(const struct rlimit *limit, struct rlimit *previous);

/// A program that exec starts has no shadow yet, so it gets the soft limit that
/// was set. (A lowered hard limit could not be restored if exec fails.)
void LowerAddressLimitForExec();
/// After an exec that failed.
void RaiseAddressLimit();

} // namespace pagetide

//===- credentials_follow.h - The recorder takes on credentials -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// A system call that changes the user, group or capabilities of its thread.
struct CredentialCall {
  long number;
  uptr arguments[5];
};

/// Makes the call on the recorder's thread, which is the caller, and on the
/// writer's. Ends the process if the call fails: nobody would know which
/// credentials the process has.
void FollowCredentials(const CredentialCall &call);

} // namespace pagetide

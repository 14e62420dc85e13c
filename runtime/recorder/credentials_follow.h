//===- credentials_follow.h - The program's rights on our threads ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_RECORDER_CREDENTIALS_FOLLOW_H
#define PAGETIDE_RUNTIME_RECORDER_CREDENTIALS_FOLLOW_H

#include "platform/syscalls.h"

namespace pagetide {

/// A system call that changes the rights of the calling thread.
struct CredentialCall {
  long number;
  uptr arguments[5];
};

/// Makes the call on the recorder's thread, which is the caller, and on the
/// writer's. Dies if it fails there: the program's rights would be unknown.
void FollowCredentials(const CredentialCall &call);

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_RECORDER_CREDENTIALS_FOLLOW_H

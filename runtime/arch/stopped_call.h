//===- stopped_call.h - The system call of a stopped thread ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "arch/syscall.h"

#include <sys/user.h>

namespace pagetide {

/// The system call in which a thread was stopped by ptrace.
class CallOfStopped {
public:
  /// False if the kernel does not give the thread's registers.
  bool Read(u32 tid);
  s64 Result() const;
  /// Negative if it was stopped outside of a call.
  s64 Number() const;
  /// When the thread goes on, it makes the call again.
  void MakeAnew(u32 tid);

private:
  user_regs_struct registers_;
};

} // namespace pagetide

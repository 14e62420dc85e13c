//===- filters.h - System call filters of the program -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// The program is about to call seccomp(operation, flags, program). If the
/// filter is for all threads and ends those that make the recorder's calls, the
/// recording ends now, with a message, and not the process.
void BeforeFilter(uptr operation, uptr flags, uptr program);
/// The same for prctl(PR_SET_SECCOMP, mode, program).
void BeforeFilterByControl(uptr mode, uptr program);

} // namespace pagetide

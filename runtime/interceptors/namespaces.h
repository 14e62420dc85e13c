//===- namespaces.h - Calls for processes of one thread ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "platform/syscalls.h"

namespace pagetide {

/// Makes the program's unshare or setns by call(argument, flags), which returns
/// what libc's function does. If the kernel refuses it since the process has
/// the recorder's threads, these are away meanwhile.
int EnterNamespaceBy(const char *name, u64 flags, int (*call)(void *, u64),
                     void *argument);

/// The same by call(flags).
template <typename Call>
int EnterNamespace(const char *name, u64 flags, Call call) {
  return EnterNamespaceBy(
      name, flags,
      [](void *argument, u64 now) { return (*(Call *)argument)(now); }, &call);
}

} // namespace pagetide

//===- older_calls.h - System calls that newer processors do not have -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <sys/syscall.h>

namespace pagetide {

constexpr long kOldReadlink = SYS_readlink;

inline bool IsOlderWait(long number) {
  return number == SYS_poll || number == SYS_select || number == SYS_epoll_wait;
}
inline bool IsOlderWaitOfEvents(long number) {
  return number == SYS_epoll_wait;
}
inline bool IsOlderFork(long number) {
  return number == SYS_fork || number == SYS_vfork;
}

} // namespace pagetide

//===- older_calls.h - System calls that newer processors do not have -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <sys/syscall.h>

namespace pagetide {

constexpr long kOldPoll = SYS_poll;
constexpr long kOldSelect = SYS_select;
constexpr long kOldEpollWait = SYS_epoll_wait;

inline bool IsOlderWait(long number) {
  return number == kOldPoll || number == kOldSelect || number == kOldEpollWait;
}
inline bool IsOlderFork(long number) {
  return number == SYS_fork || number == SYS_vfork;
}

} // namespace pagetide

//===- older_calls.h - System calls that newer processors do not have -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

namespace pagetide {

/// The numbers of poll, select and epoll_wait: kOldPoll, kOldSelect,
/// kOldEpollWait.
/// Where there is no such call, they are negative, and differ.

/// poll, select and epoll_wait: they wait, and write what only their thread
/// knows.
inline bool IsOlderWait(long number);
/// fork and vfork.
inline bool IsOlderFork(long number);

} // namespace pagetide

#include "arch/x86_64/older_calls.h" // IWYU pragma: export

//===- waiting_calls.h - What calls that wait may be writing --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "interceptors/in_flight.h"

#include <sys/syscall.h>

namespace pagetide {

/// What a system call that may wait writes, by its number. Of several buffers,
/// and of several small results, what spans them.
CallWrites WrittenWhileWaiting(long number, const u64 (&arguments)[6]);

} // namespace pagetide

/// The same of a call by its name.
#define PAGETIDE_WAITS(name, ...)                                              \
  pagetide::InFlight in_flight(                                                \
      pagetide::WrittenWhileWaiting(SYS_##name, {__VA_ARGS__}))

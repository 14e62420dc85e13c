//===- waiting_calls.h - What calls that wait may be writing --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "interceptors/in_flight.h"

#include <sys/socket.h>
#include <sys/syscall.h>

namespace pagetide {

/// What a system call that may wait writes, by its number. Of several buffers,
/// and of several small results, what spans them.
CallWrites WrittenWhileWaiting(long number, const u64 (&arguments)[6]);

/// The same of recvmsg, if its caller has read the header and the bounds of the
/// pieces; and of a call that writes a socket's address, which has `room`. To
/// read the program's memory is a system call.
CallWrites WrittenByMessage(const msghdr *message, const msghdr &header,
                            const iovec &pieces);
CallWrites WrittenWithAddress(MemoryRange buffer, const void *address, u32 room,
                              const u32 *length);

} // namespace pagetide

/// What a call writes, by its name, while this is in scope.
#define PAGETIDE_WAITS(name, ...)                                              \
  pagetide::InFlight in_flight(                                                \
      pagetide::WrittenWhileWaiting(SYS_##name, {__VA_ARGS__}))

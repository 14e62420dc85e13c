//===- call_memory.h - What the effects of system calls stand on ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of system calls serve the runtime, whose program makes the calls,
// and engine emulate, which looks at them from outside. Each defines these
// functions. So this header, call_effects and raw_calls know neither.

#pragma once

namespace pagetide::calls {

// NOLINTBEGIN(readability-identifier-naming): as sanitizer_common's
using uptr = unsigned long;
using sptr = signed long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
// NOLINTEND(readability-identifier-naming)

/// Marks. Without a recording they do nothing.
void MarkRead(uptr p, uptr bytes);
void MarkWrite(uptr p, uptr bytes);
void MarkMayRead(uptr p, uptr bytes);
void MarkMayWrite(uptr p, uptr bytes);

/// Copies memory of the program; false if it cannot be read.
bool CopyIn(void *to, uptr from, uptr bytes);
/// Characters of a string with its end, at most `most`, that can be read.
/// `known`: somebody has read the first one.
uptr StringBytes(uptr p, uptr most, bool known);

/// Bytes of the structure that a request of ioctl leads to; 0: it does not.
struct RequestBytes {
  uptr read, written;
};
RequestBytes BytesOfRequest(u32 number);

/// How many semaphores a set has; 0 if nobody knows.
uptr SemaphoresOf(int set);

/// The calling process.
u32 OwnProcess();

enum class PipeEnd { kReads, kWrites, kUnknown };
/// Which end of a pipe, or both, a descriptor is. Unknown where a filter may
/// end the process for the system call that tells.
PipeEnd EndOfPipe(u32 descriptor);

} // namespace pagetide::calls

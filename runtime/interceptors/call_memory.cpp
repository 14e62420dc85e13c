//===- call_memory.cpp - What the effects of system calls stand on --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/call_memory.h"

#include "arch/syscall.h"
#include "interceptors/interceptor.h"
#include "interceptors/requests.h"
#include "platform/program_memory.h"
#include "platform/syscalls.h"

#include <fcntl.h>
#include <sys/syscall.h>

namespace pagetide::calls {

void MarkRead(uptr p, uptr bytes) { pagetide::MarkRead(p, bytes); }
void MarkWrite(uptr p, uptr bytes) { pagetide::MarkWrite(p, bytes); }
void MarkMayRead(uptr p, uptr bytes) { pagetide::MarkMayRead(p, bytes); }
void MarkMayWrite(uptr p, uptr bytes) { pagetide::MarkMayWrite(p, bytes); }

bool CopyIn(void *to, uptr from, uptr bytes) {
  return ShadowReady() && CopyFromProgram(to, (const void *)from, bytes);
}

uptr StringBytes(uptr p, uptr most, bool known) {
  if (!ShadowReady())
    return 0;
  // libc's own strlen is faster where the string is known to end.
  if (known && most == kNoBound)
    return Length((const char *)p) + 1;
  return ReadableLength((const char *)p, most, known);
}

RequestBytes BytesOfRequest(u32 number) {
  const pagetide::RequestBytes bytes = pagetide::BytesOfRequest(number);
  return {bytes.read, bytes.written};
}

uptr SemaphoresOf(int set) {
  constexpr int kStat = 2;
  constexpr uptr kBytes = 104, kCountAt = 80;
  alignas(8) u8 status[kBytes];
  return Syscall(SYS_semctl, (uptr)set, 0, kStat, (uptr)status) == 0
             ? *(const u64 *)(status + kCountAt)
             : 0;
}

u32 OwnProcess() { return GetPidRaw(); }

PipeEnd EndOfPipe(u32 descriptor) {
  if (UnderSystemCallFilter())
    return PipeEnd::kUnknown;
  const uptr flags = Syscall(SYS_fcntl, descriptor, F_GETFL);
  return !Failed(flags) && (flags & O_ACCMODE) == O_RDONLY ? PipeEnd::kReads
                                                           : PipeEnd::kWrites;
}

} // namespace pagetide::calls

//===- stopped_call.cpp - The system call of a stopped thread -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "arch/stopped_call.h"

#include <linux/ptrace.h>
#include <sys/syscall.h>

namespace pagetide {

static uptr Ptrace(uptr request, u32 tid, user_regs_struct *registers) {
  return Syscall(SYS_ptrace, request, tid, 0, (uptr)registers);
}

bool CallOfStopped::Read(u32 tid) {
  return Ptrace(PTRACE_GETREGS, tid, &registers_) == 0;
}
s64 CallOfStopped::Result() const { return (s64)registers_.rax; }
s64 CallOfStopped::Number() const { return (s64)registers_.orig_rax; }

void CallOfStopped::MakeAnew(u32 tid) {
  constexpr u64 kInstructionBytes = 2; // syscall
  registers_.rip -= kInstructionBytes;
  registers_.rax = registers_.orig_rax;
  registers_.orig_rax = ~0ull;
  Ptrace(PTRACE_SETREGS, tid, &registers_);
}

} // namespace pagetide

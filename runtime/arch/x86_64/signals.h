//===- signals.h - Registers of a signal handler's context ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <errno.h>

namespace pagetide {

inline uptr GetInstruction(const ucontext_t &context) {
  return (uptr)context.uc_mcontext.gregs[REG_RIP];
}
inline void SetInstruction(ucontext_t &context, uptr instruction) {
  context.uc_mcontext.gregs[REG_RIP] = (greg_t)instruction;
}

inline uptr GetStackPointer(const ucontext_t &context) {
  return (uptr)context.uc_mcontext.gregs[REG_RSP];
}
inline const void *GetCallerOfLeaf(const ucontext_t &context) {
  return *(const void *const *)GetStackPointer(context);
}

inline InterruptedCall GetInterruptedCall(const ucontext_t &context) {
  constexpr u16 kSyscallInstruction = 0x050f;
  const greg_t *registers = context.uc_mcontext.gregs;
  const auto *code = (const u16 *)registers[REG_RIP];
  return {
      .has_failed =
          registers[REG_RAX] == -EINTR && code[-1] == kSyscallInstruction,
      .restarts = code[0] == kSyscallInstruction,
      .number = (uptr)registers[REG_RAX],
      .second = (uptr)registers[REG_RSI],
  };
}

/// The kernel's ucontext, as far as its registers.
struct SignalFrame {
  u64 flags, link;
  u64 stack[3];
  u64 registers[18];
  u64 segments;
  u64 error, trap, old_mask, fault_address;
  u64 vectors; ///< where the vector registers are saved: above, or null
};

/// Programs have these segments everywhere, and the kernel clears fs and gs.
constexpr u64 kSegments = u64{0x2b} << 48 | 0x33;
constexpr u64 kMaxFlags = 7;

constexpr uptr kSignalFrameBytes = sizeof(SignalFrame);

inline bool IsSignalFrame(const void *memory) {
  const auto &frame = *(const SignalFrame *)memory;
  return frame.segments == kSegments && frame.flags <= kMaxFlags &&
         !frame.link && (!frame.vectors || frame.vectors > (uptr)&frame);
}

} // namespace pagetide

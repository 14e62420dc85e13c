//===- signals.h - What a signal handler learns from the processor --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "arch/syscall.h"

#include <ucontext.h>

namespace pagetide {

/// The instruction that the handler returns to; may be changed.
inline uptr GetInstruction(const ucontext_t &context);
inline void SetInstruction(ucontext_t &context, uptr instruction);
inline uptr GetStackPointer(const ucontext_t &context);
/// Where the interrupted function returns to, if it keeps nothing on the stack.
inline const void *GetCallerOfLeaf(const ucontext_t &context);

/// What the thread waited in when the signal came, if that was a system call.
struct InterruptedCall {
  bool has_failed; ///< with EINTR
  bool restarts;   ///< it is made again when the handler returns
  uptr number;
  uptr second; ///< argument
};
inline InterruptedCall GetInterruptedCall(const ucontext_t &context);

/// What the kernel puts below a handler: its ucontext. It tells the handler's
/// signal only if that asks for it.
inline bool IsSignalFrame(const void *memory);

/// The length of the instruction at `code` if it is a mark, which is a store of
/// a constant or a register to the shadow; otherwise 0.
uptr MarkLength(const u8 *code);

} // namespace pagetide

#include "arch/x86_64/signals.h" // IWYU pragma: export

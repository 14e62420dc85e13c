//===- signals.h - What a signal handler learns from the processor --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ARCH_SIGNALS_H
#define PAGETIDE_RUNTIME_ARCH_SIGNALS_H

#include "arch/syscall.h"

#include <ucontext.h>

namespace pagetide {

/// The instruction that the handler returns to; may be changed.
inline uptr GetInstruction(const ucontext_t &context);
inline void SetInstruction(ucontext_t &context, uptr instruction);
/// Of SIGSEGV: a write was tried.
inline bool IsWriteFault(const ucontext_t &context);
/// The length of the instruction at `code` if it is a mark, which is a store of
/// a constant or a register to the shadow; otherwise 0.
uptr MarkLength(const u8 *code);

} // namespace pagetide

#include "arch/x86_64/signals.h" // IWYU pragma: export

#endif // PAGETIDE_RUNTIME_ARCH_SIGNALS_H

//===- signals.h - Registers of a signal handler's context ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_ARCH_X86_64_SIGNALS_H
#define PAGETIDE_RUNTIME_ARCH_X86_64_SIGNALS_H

namespace pagetide {

inline uptr GetInstruction(const ucontext_t &context) {
  return (uptr)context.uc_mcontext.gregs[REG_RIP];
}
inline void SetInstruction(ucontext_t &context, uptr instruction) {
  context.uc_mcontext.gregs[REG_RIP] = (greg_t)instruction;
}

inline bool IsWriteFault(const ucontext_t &context) {
  constexpr greg_t kWrite = 2; // of the processor's error code
  return context.uc_mcontext.gregs[REG_ERR] & kWrite;
}

} // namespace pagetide

#endif // PAGETIDE_RUNTIME_ARCH_X86_64_SIGNALS_H

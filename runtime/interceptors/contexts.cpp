//===- contexts.cpp - getcontext and its like -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context begins where its caller goes on, and getcontext returns there more
// than once. So no frame of ours may be on the stack below these functions.
// They mark what libc is about to do, and then jump to it.

#include "interceptors/interceptor.h"
#include "interceptors/libc_sizes.h"

using namespace pagetide;

namespace {

/// Of a ucontext_t, glibc uses registers, the signal mask, and 32 bytes of the
/// floating-point state.
constexpr uptr kEnd = kFloatingAt + 32;

void WillSave(uptr context) {
  MarkWrite(context + kRegistersAt, kEnd - kRegistersAt);
}
void WillLoad(uptr context) {
  MarkRead(context + kRegistersAt, kEnd - kRegistersAt);
}

/// libc puts arguments beyond the sixth on the new stack, where to go on after
/// the function, and what calls it.
void WillMake(uptr context, int arguments) {
  constexpr uptr kRegisterBytes = 176;
  constexpr int kInRegisters = 6;
  struct {
    uptr begin;
    int flags;
    uptr bytes;
  } stack = {};
  if (!CopyFromProgram(&stack, (const void *)(context + kStackAt),
                       sizeof(stack)))
    return;
  MarkRead(context + kLinkAt, kRegistersAt - kLinkAt);
  MarkWrite(context + kRegistersAt, kRegisterBytes);
  const uptr more =
      arguments > kInRegisters ? (uptr)(arguments - kInRegisters) : 0;
  const uptr top =
      ((stack.begin + stack.bytes - (more + 1) * 8) & ~uptr{15}) - 8;
  MarkWrite(top, (more + 2) * 8);
}

} // namespace

/// Defines what is called first (@asks in intercepted.txt). It calls `mark`.
#define PAGETIDE_BEFORE(name, mark)                                            \
  DEFINE_REAL(long, name, uptr a, uptr b, uptr c)                              \
  extern "C"                                                                   \
      __attribute__((visibility("hidden"), used)) void *PagetideBefore_##name( \
          uptr a, [[maybe_unused]] uptr b, [[maybe_unused]] uptr c) {          \
    OnInterceptedCall();                                                       \
    void *const real = (void *)RESOLVED(name);                                 \
    if (ShadowReady()) {                                                       \
      mark;                                                                    \
    }                                                                          \
    return real;                                                               \
  }
PAGETIDE_BEFORE(getcontext, WillSave(a))
PAGETIDE_BEFORE(setcontext, WillLoad(a))
PAGETIDE_BEFORE(swapcontext, WillSave(a); WillLoad(b))
PAGETIDE_BEFORE(makecontext, WillMake(a, (int)c))

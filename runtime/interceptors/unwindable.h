//===- unwindable.h - Frames that want to know when they are unwound ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_RUNTIME_INTERCEPTORS_UNWINDABLE_H
#define PAGETIDE_RUNTIME_INTERCEPTORS_UNWINDABLE_H

#include "threads/thread_start.h"

namespace pagetide {

/// Of a frame that an exception or a cancellation may unwind: what is to be
/// done then. Chained, the innermost first.
struct Unwindable {
  void (*unwound)(Unwindable *);
  Unwindable *outer;
};

inline void Push(Unwindable &frame) {
  frame.outer = (Unwindable *)self.unwindable;
  self.unwindable = (u64)&frame;
}
inline void Pop(Unwindable &frame) { self.unwindable = (u64)frame.outer; }

/// Forgets the innermost of the chained frames, while `left(frame, arg)`.
void AbandonUnwindable(bool (*left)(uptr frame, const void *arg),
                       const void *arg);

} // namespace pagetide

/// Gives the function that this stands in the personality above. The function
/// must not be inlined, and must hold its Unwindable while it calls.
#define PAGETIDE_UNWINDABLE_FRAME()                                            \
  asm volatile(".cfi_personality 0x1b, pagetide_frame_unwound")

#endif // PAGETIDE_RUNTIME_INTERCEPTORS_UNWINDABLE_H

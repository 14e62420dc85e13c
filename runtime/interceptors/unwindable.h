//===- unwindable.h - Frames that are told when they are unwound ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "threads/thread_start.h"

namespace pagetide {

/// Part of a frame that an exception or a cancellation may unwind. `unwound` is
/// called then. These parts are chained, the innermost first.
struct Unwindable {
  void (*unwound)(Unwindable *);
  Unwindable *outer;
};

inline void Push(Unwindable &frame) {
  frame.outer = (Unwindable *)self.unwindable;
  self.unwindable = (u64)&frame;
}
inline void Pop(Unwindable &frame) { self.unwindable = (u64)frame.outer; }

/// Removes frames from the chain, the innermost first, while `left(frame, arg)`
/// is true.
void AbandonUnwindable(bool (*left)(uptr frame, const void *arg),
                       const void *arg);

} // namespace pagetide

/// Gives the enclosing function the personality pagetide_frame_unwound. The
/// function must hold its Unwindable during all calls that may throw, also if
/// it is inlined.
#define PAGETIDE_UNWINDABLE_FRAME()                                            \
  asm volatile(".cfi_personality 0x1b, pagetide_frame_unwound")

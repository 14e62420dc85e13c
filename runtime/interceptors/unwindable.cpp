//===- unwindable.cpp - Frames that are told when they are unwound --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/unwindable.h"

using namespace pagetide;

/// The personality of frames that hold an Unwindable. Such frames have no
/// handlers, and the runtime has no C++ library. The unwinder calls this
/// function before it leaves the frame.
extern "C" __attribute__((used, visibility("hidden"))) int
pagetide_frame_unwound(int, int actions, u64, void *, void *) {
  constexpr int kCleanupPhase = 2, kContinue = 8; // _UA_, _URC_
  if (actions & kCleanupPhase)
    if (auto *frame = (Unwindable *)self.unwindable)
      frame->unwound(frame);
  return kContinue;
}

void pagetide::AbandonUnwindable(bool (*left)(uptr, const void *),
                                 const void *arg) {
  while (self.unwindable && left(self.unwindable, arg))
    self.unwindable = (u64)((Unwindable *)self.unwindable)->outer;
}

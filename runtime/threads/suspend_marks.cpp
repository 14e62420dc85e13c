//===- suspend_marks.cpp - Threads whose marks do not count ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "threads/suspend_marks.h"

#include "arch/shadow_base.h"
#include "threads/slots.h"

namespace pagetide {

bool SuspendMarks(int change) {
  if (change > 0) {
    u32 slot = CurrentSlot(); // before the base changes, which tells the slot
    if (!self.suspended) {
      uptr unwanted = EnsureScratchShadow();
      if (!unwanted)
        return false;
      self.slot_plus_one = slot + 1;
      ++self.suspended; // first, so that a signal handler in between nests
      SetShadowBase(unwanted);
      return true;
    }
    ++self.suspended;
    return true;
  }
  if (!self.suspended)
    return false;
  if (self.suspended == 1)
    SetShadowBase(OwnShadowBase());
  --self.suspended;
  return true;
}

} // namespace pagetide

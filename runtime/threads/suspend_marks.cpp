//===- suspend_marks.cpp - Threads whose marks do not count ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "threads/suspend_marks.h"

#include "platform/gs_base.h"
#include "threads/slots.h"

namespace pagetide {

bool SuspendMarks(int change) {
  if (change > 0) {
    u32 slot = CurrentSlot(); // while the base still tells
    if (!self.leave_out) {
      uptr unwanted = EnsureScratchShadow();
      if (!unwanted)
        return false;
      self.slot_plus_one = slot + 1;
      ++self.leave_out; // first: a signal handler in between nests
      SetShadowBase(unwanted);
      return true;
    }
    ++self.leave_out;
    return true;
  }
  if (!self.leave_out)
    return false;
  if (self.leave_out == 1)
    SetShadowBase(shadow.slot_base[CurrentSlot()]);
  --self.leave_out;
  return true;
}

} // namespace pagetide

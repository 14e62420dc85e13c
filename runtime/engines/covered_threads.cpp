//===- covered_threads.cpp - Who has changed to marked code ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/covered_threads.h"

#include "pagetide/shadow_file.h"
#include "platform/fork_reset.h"

namespace pagetide {

PAGETIDE_RECORDER_STATE static bool covered[shadow_file::kMaxSlots];

u64 FirstWithoutCovered(u32 slot, u64 value) {
  const u64 mask = abi::covered_mask(shadow.layout);
  covered[slot] |= (value & mask) != 0;
  return value & ~mask;
}

void TakeCoveredSlots(void (*visit)(u32 slot)) {
  for (u32 slot = 0; slot < shadow_file::kMaxSlots; ++slot)
    if (covered[slot]) {
      covered[slot] = false;
      visit(slot);
    }
}

} // namespace pagetide

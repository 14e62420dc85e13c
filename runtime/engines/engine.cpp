//===- engine.cpp - What engines have in common ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "engines/engine.h"

#include "shadow/shadow.h"

namespace pagetide {

using trace::ChecksumState;

void MakeUnstable(PageHash &page) {
  if (page.state != ChecksumState::kStable)
    return;
  page.state = ChecksumState::kUnstable;
  page.hash = 0;
}

u64 MaskInRange(u64 word, GranuleRange range) {
  const u64 per_word = 8 / shadow.cells_per_index;
  const u64 bits = 8 * shadow.cells_per_index;
  const u64 granule_mask = bits == 8 ? 0xff : 0xffff;
  u64 mask = 0;
  for (u64 i = 0; i < per_word; ++i) {
    u64 granule = word * per_word + i;
    if (granule >= range.begin && granule < range.end)
      mask |= granule_mask << (i * bits);
  }
  return mask;
}

} // namespace pagetide

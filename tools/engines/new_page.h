//===- new_page.h - Pages of mappings that read as written as a whole -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/pagemap_entry.h"
#include "pagetide/trace_format.h"

namespace pagetide::tools {

/// What is known of a page that exists, where its soft-dirty bit may be the
/// mapping's; 0 if it was not written. `known`: it was mapped when the bits
/// were cleared. `zero_frame`: of the page of zeros; 0 if this user may not
/// know it.
constexpr unsigned flags_if_new(kernel::PagemapEntry entry, bool known,
                                bool shared, std::uint64_t zero_frame) {
  if (shared)
    return trace::kRunMayWritten;
  if (entry.is_of_file())
    return 0;
  const bool knows_frame = entry.frame() != 0 && zero_frame != 0;
  if (!entry.is_swapped() && knows_frame && entry.frame() == zero_frame)
    return 0;
  const bool is_copy =
      entry.is_swapped() || entry.is_exclusive() || knows_frame;
  return is_copy && !known ? trace::kRunWritten : trace::kRunMayWritten;
}

} // namespace pagetide::tools

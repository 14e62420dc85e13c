//===- kept_page.h - What a page of a keeper is ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "pagetide/pagemap_entry.h"

namespace pagetide {

enum class KeptPage : unsigned char {
  kNone,    ///< there is none
  kFile,    ///< the file's
  kZero,    ///< the page of zeros, which the kernel maps for a first read
  kShared,  ///< mapped by others too, or the page of zeros
  kOwn,     ///< mapped by nobody else
  kSwapped, ///< paged out, or being moved
  kKinds
};

/// Never kZero: the entry does not tell it.
constexpr KeptPage KindOf(kernel::PagemapEntry entry) {
  if (entry.is_guard())
    return KeptPage::kNone;
  if (entry.is_swapped())
    return KeptPage::kSwapped;
  if (!entry.is_present())
    return KeptPage::kNone;
  if (entry.is_of_file())
    return KeptPage::kFile;
  return entry.is_exclusive() ? KeptPage::kOwn : KeptPage::kShared;
}

} // namespace pagetide

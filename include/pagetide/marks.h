//===- marks.h - What a granule's marks say -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only decoder of marks. The runtime uses it for each period, and the tools
// use it for the marks of a killed program. It needs neither libc nor the C++
// library.

#ifndef PAGETIDE_MARKS_H
#define PAGETIDE_MARKS_H

#include "pagetide/abi.h"
#include "pagetide/trace_format.h"

namespace pagetide::trace {

static_assert(kSiteMay == abi::kSiteMay);

/// The RunFlags of a granule. `cells` are its marks of the period. `carried`
/// are marks of an earlier period; their writes may still have been under way.
/// Both are the cells of one index, the first in the lowest byte. (Under
/// precision near, abi::for_each_granule_word makes such cells.)
///
/// Values of a cell may have been or-ed together. Then a certain mark wins over
/// a possible one. A value that the ABI does not know means only a possible
/// access. Only writes are carried, and not into a period that has certain
/// ones.
constexpr std::uint32_t granule_flags(abi::Layout layout, std::uint32_t cells,
                                      std::uint32_t carried) {
  const auto flag_of = [](std::uint32_t cell, std::uint32_t certain,
                          std::uint32_t possible) {
    return cell & abi::kCellMarked ? certain : cell ? possible : 0;
  };
  const unsigned write_shift = 8 * abi::write_cell(layout);
  const std::uint32_t write = cells >> write_shift & 0xff;
  std::uint32_t flags = 0;
  if (!abi::tells_writes(layout))
    flags = flag_of(write, kRunAccessed, kRunMayRead | kRunMayWritten);
  else
    flags = flag_of(write, kRunWritten, kRunMayWritten);
  if (layout == abi::Layout::kRw)
    flags |= flag_of(cells >> 8 * abi::read_cell(layout) & 0xff, kRunRead,
                     kRunMayRead);
  if ((carried >> write_shift & 0xff) &&
      !(flags & (kRunWritten | kRunAccessed)))
    flags |= kRunCarried;
  return flags;
}

/// The bits of a word of marks (eight cells) that mean writes, or accesses if
/// the layout does not tell writes.
constexpr std::uint64_t write_cells(abi::Layout layout) {
  return layout == abi::Layout::kRw ? 0xff00ff00ff00ff00 : ~std::uint64_t{0};
}

} // namespace pagetide::trace

#endif // PAGETIDE_MARKS_H

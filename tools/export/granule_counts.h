//===- granule_counts.h - How many granules runs have, by kind ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_GRANULE_COUNTS_H
#define PAGETIDE_TOOLS_EXPORT_GRANULE_COUNTS_H

#include "export/table.h"
#include "trace/runs.h"

#include <cstdint>

namespace pagetide::tools {

/// Counts granules as the summary of a report does.
struct GranuleCounts {
  std::uint64_t accessed = 0; ///< certain, of this period
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t carried = 0; ///< nothing but that
  std::uint64_t may = 0;     ///< nothing but possible

  void add(const GranuleRun &run) {
    const unsigned certain = certain_flags(run.flags);
    if (certain != 0)
      accessed += run.count;
    else if (run.flags & trace::kRunCarried)
      carried += run.count;
    else
      may += run.count;
    if (certain & trace::kRunRead)
      read += run.count;
    if (certain & trace::kRunWritten)
      written += run.count;
  }
  void add(const GranuleCounts &other) {
    accessed += other.accessed;
    read += other.read;
    written += other.written;
    carried += other.carried;
    may += other.may;
  }
  Cell read_cell(abi::Layout layout) const {
    return abi::tells_writes(layout) && abi::records_reads(layout)
               ? Cell::of(read)
               : Cell();
  }
  Cell written_cell(abi::Layout layout) const {
    return abi::tells_writes(layout) ? Cell::of(written) : Cell();
  }
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_GRANULE_COUNTS_H

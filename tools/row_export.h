//===- row_export.h - A trace as rows, one a period, thread and granule ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_ROW_EXPORT_H
#define PAGETIDE_TOOLS_ROW_EXPORT_H

#include "text_output.h"
#include "trace_reader.h"

#include <cstdint>
#include <optional>

namespace pagetide::tools {

enum class RowFormat { kCsv, kJson };

/// Which rows; all unless said otherwise. Ranges include both ends.
struct RowFilter {
  std::uint64_t first_period = 0;
  std::uint64_t last_period = UINT64_MAX;
  std::optional<std::uint32_t> tid;
  std::uint64_t first_address = 0;
  std::uint64_t last_address = UINT64_MAX;
};

/// Writes all rows of the trace up to its end or to where it cannot be read;
/// the reader says which. Both formats are well-formed in either case.
void export_rows(TraceReader &reader, RowFormat format, const RowFilter &filter,
                 TextSink &sink);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_ROW_EXPORT_H

//===- row_export.h - A trace as rows, one a period, thread and granule ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_ROW_EXPORT_H
#define PAGETIDE_TOOLS_REPORT_ROW_EXPORT_H

#include "support/text_format.h"
#include "support/text_output.h"
#include "trace/trace_reader.h"

#include <cstdint>
#include <optional>

namespace pagetide::tools {

enum class RowFormat { kCsv, kJson };

/// Which rows; all unless said otherwise. A granule belongs to the addresses if
/// one of its own does.
struct RowFilter {
  NumberRange periods;
  NumberRange addresses;
  std::optional<std::uint64_t> tid;
};

/// Writes all rows of the trace up to its end or to where it cannot be read;
/// the reader says which. Both formats are well-formed in either case.
void export_rows(TraceReader &reader, RowFormat format, const RowFilter &filter,
                 TextSink &sink);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_ROW_EXPORT_H

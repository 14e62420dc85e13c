//===- row_export.h - A trace as rows -------------------------------------===//
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

/// Which rows to write. The default is all. A granule is in the range of
/// addresses if one of its bytes is.
struct RowFilter {
  NumberRange periods;
  NumberRange addresses;
  std::optional<std::uint64_t> tid;
};

/// Writes a row for each period, thread and granule, up to the trace's end or
/// to where it cannot be read. The reader says which it was. Both formats are
/// well-formed in either case.
void export_rows(TraceReader &reader, RowFormat format, const RowFilter &filter,
                 TextSink &sink);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_ROW_EXPORT_H

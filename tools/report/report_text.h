//===- report_text.h - A summary for people -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_REPORT_TEXT_H
#define PAGETIDE_TOOLS_REPORT_REPORT_TEXT_H

#include "report/report_style.h"
#include "report/summary.h"

#include <string>
#include <vector>

namespace pagetide::tools {

std::string report_text(const Summary &summary, const ReportStyle &style);

/// One line of the table of several traces.
struct TotalsRow {
  std::string path;
  std::uint32_t pid = 0;
  std::uint64_t periods = 0;
  std::uint64_t duration_ns = 0;
  std::uint64_t accessed_bytes = 0; ///< distinct
  std::uint64_t written_bytes = 0;  ///< distinct
  bool tells_writes = true;
  bool records_reads = true;
  bool complete = true;
};
TotalsRow totals_row(const Summary &summary);
std::string totals_text(const std::vector<TotalsRow> &rows);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_REPORT_TEXT_H

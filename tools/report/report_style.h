//===- report_style.h - How wide a report is, and with which signs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_REPORT_STYLE_H
#define PAGETIDE_TOOLS_REPORT_REPORT_STYLE_H

#include <cstddef>

namespace pagetide::tools {

struct ReportStyle {
  std::size_t width = 80;
  bool unicode = true;
  std::size_t top = 10; ///< lines in a table, at most
};

/// The width that COLUMNS gives, or that of the terminal, or 80. And whether
/// the locale uses UTF-8.
ReportStyle style_of_terminal();

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_REPORT_STYLE_H

//===- report_style.h - How wide a report is, and with which signs --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstddef>

namespace pagetide::tools {

/// What the terminal can show.
enum class Colors { kNone, kFew, kMany };

struct ReportStyle {
  std::size_t width = 80;
  bool unicode = true;
  Colors colors = Colors::kNone;
  std::size_t top = 10; ///< lines in a table, at most
};

/// The width that COLUMNS gives, or that of the terminal, or 80. Whether the
/// locale uses UTF-8. Colours only on a terminal, as TERM says, and none if
/// NO_COLOR is set (no-color.org).
ReportStyle style_of_terminal();

} // namespace pagetide::tools

//===- report_text.h - A summary for people -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_REPORT_REPORT_TEXT_H
#define PAGETIDE_TOOLS_REPORT_REPORT_TEXT_H

#include "analysis/summary.h"
#include "report/report_style.h"

#include <string>

namespace pagetide::tools {

std::string report_text(const Summary &summary, const ReportStyle &style);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_REPORT_REPORT_TEXT_H

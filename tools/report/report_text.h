//===- report_text.h - A summary for people -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/summary.h"
#include "report/report_style.h"

#include <string>

namespace pagetide::tools {

std::string report_text(const Summary &summary, const ReportStyle &style);

} // namespace pagetide::tools

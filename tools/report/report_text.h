//===- report_text.h - The texts of report and info -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "analysis/summary.h"
#include "report/report_style.h"
#include "trace/trace_reader.h"

#include <string>

namespace pagetide::tools {

std::string report_text(const Summary &summary, const ReportStyle &style);

/// Reads a trace to its end and describes it.
std::string info_text(TraceReader &reader);

} // namespace pagetide::tools

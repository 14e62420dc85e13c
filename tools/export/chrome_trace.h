//===- chrome_trace.h - Counters for Perfetto and Chrome -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_CHROME_TRACE_H
#define PAGETIDE_TOOLS_EXPORT_CHROME_TRACE_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kChromeTraceFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_CHROME_TRACE_H

//===- chrome_trace.h - Counters for Perfetto and Chrome -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kChromeTraceFormat;

} // namespace pagetide::tools

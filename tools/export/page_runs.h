//===- page_runs.h - Runs of pages as CRIU's images have them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_PAGE_RUNS_H
#define PAGETIDE_TOOLS_EXPORT_PAGE_RUNS_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kPageRunsFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_PAGE_RUNS_H

//===- page_runs.h - Runs of pages as CRIU's images have them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kPageRunsFormat;

} // namespace pagetide::tools

//===- jsonl.h - Rows as JSON lines --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_JSONL_H
#define PAGETIDE_TOOLS_EXPORT_JSONL_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kJsonlFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_JSONL_H

//===- csv.h - Rows as comma-separated values ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_CSV_H
#define PAGETIDE_TOOLS_EXPORT_CSV_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kCsvFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_CSV_H

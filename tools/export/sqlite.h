//===- sqlite.h - All tables in an SQLite database -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_SQLITE_H
#define PAGETIDE_TOOLS_EXPORT_SQLITE_H

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kSqliteFormat;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_SQLITE_H

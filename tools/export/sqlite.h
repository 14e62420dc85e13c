//===- sqlite.h - All tables in an SQLite database -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

namespace pagetide::tools {

extern const ExportFormat kSqliteFormat;

} // namespace pagetide::tools

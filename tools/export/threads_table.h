//===- threads_table.h - A row for each thread ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_THREADS_TABLE_H
#define PAGETIDE_TOOLS_EXPORT_THREADS_TABLE_H

#include "export/table.h"

namespace pagetide::tools {

extern const Table kThreadsTable;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_THREADS_TABLE_H

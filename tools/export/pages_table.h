//===- pages_table.h - Rows of periods, threads and granules -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_PAGES_TABLE_H
#define PAGETIDE_TOOLS_EXPORT_PAGES_TABLE_H

#include "export/table.h"

namespace pagetide::tools {

extern const Table kPagesTable;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_PAGES_TABLE_H

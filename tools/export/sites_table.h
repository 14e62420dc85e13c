//===- sites_table.h - A row for each place in the source ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_SITES_TABLE_H
#define PAGETIDE_TOOLS_EXPORT_SITES_TABLE_H

#include "export/table.h"

namespace pagetide::tools {

extern const Table kSitesTable;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_SITES_TABLE_H

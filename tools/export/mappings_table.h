//===- mappings_table.h - A row for each mapping that was listed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_EXPORT_MAPPINGS_TABLE_H
#define PAGETIDE_TOOLS_EXPORT_MAPPINGS_TABLE_H

#include "export/table.h"

namespace pagetide::tools {

extern const Table kMappingsTable;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_EXPORT_MAPPINGS_TABLE_H

//===- mappings_table.h - A row for each mapping that was listed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

namespace pagetide::tools {

extern const Table kMappingsTable;

} // namespace pagetide::tools

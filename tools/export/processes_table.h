//===- processes_table.h - A row for each process ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

namespace pagetide::tools {

extern const Table kProcessesTable;

} // namespace pagetide::tools

//===- threads_table.h - A row for each thread ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

namespace pagetide::tools {

extern const Table kThreadsTable;

} // namespace pagetide::tools

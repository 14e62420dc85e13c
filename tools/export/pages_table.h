//===- pages_table.h - Rows of periods, threads and granules -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

namespace pagetide::tools {

extern const Table kPagesTable;

} // namespace pagetide::tools

//===- sites_table.h - A row for each place in the source ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

namespace pagetide::tools {

extern const Table kSitesTable;

} // namespace pagetide::tools

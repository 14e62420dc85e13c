//===- export_tables.h - The tables that can be exported -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

#include <span>
#include <string_view>

namespace pagetide::tools {

/// All tables. The first one is what an export has unless the user asks for
/// another one.
std::span<const Table *const> export_tables();

/// The table of this name; null if there is none.
const Table *find_table(std::string_view name);

} // namespace pagetide::tools

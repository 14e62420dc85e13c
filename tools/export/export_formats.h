//===- export_formats.h - The formats of exports -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/export.h"

#include <span>
#include <string_view>

namespace pagetide::tools {

/// All formats, in the order of the help.
std::span<const ExportFormat *const> export_formats();

/// The format of this name; null if there is none.
const ExportFormat *find_format(std::string_view name);

} // namespace pagetide::tools

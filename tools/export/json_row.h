//===- json_row.h - A row as a JSON object --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export/table.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace pagetide::tools {

/// Appends a JSON string. The text is UTF-8.
void append_json_text(fmt::memory_buffer &out, std::string_view text);

/// Appends an object with a member for each chosen column.
void append_json_row(fmt::memory_buffer &out, const Table &table,
                     std::span<const std::size_t> columns, const Cell *cells);

} // namespace pagetide::tools

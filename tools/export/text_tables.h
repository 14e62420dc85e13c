//===- text_tables.h - One table as text: CSV and JSON --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <fmt/format.h>

#include <string_view>

namespace pagetide::tools {

/// Appends a JSON string. The text is UTF-8.
void append_json_text(fmt::memory_buffer &out, std::string_view text);

} // namespace pagetide::tools

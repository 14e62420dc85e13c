//===- csv_text.h - Texts in CSV ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string_view>

namespace pagetide::tools {

/// Appends the text as RFC 4180 has it, but lines end with a line feed alone.
template <typename Buffer>
void append_csv_text(Buffer &line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line.append(text.data(), text.data() + text.size());
    return;
  }
  line.push_back('"');
  for (const char c : text) {
    if (c == '"')
      line.push_back('"');
    line.push_back(c);
  }
  line.push_back('"');
}

} // namespace pagetide::tools

//===- escaped_text.h - Texts in CSV, HTML and SVG ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>
#include <string_view>

namespace pagetide::tools {

/// The text with entities for the characters that mean something in HTML and
/// SVG.
std::string markup_text(std::string_view text);

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

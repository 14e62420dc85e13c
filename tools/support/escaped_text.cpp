//===- escaped_text.cpp - Texts in CSV, HTML and SVG ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/escaped_text.h"

namespace pagetide::tools {

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

} // namespace pagetide::tools

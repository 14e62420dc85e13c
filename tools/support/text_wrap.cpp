//===- text_wrap.cpp - Text in lines that a terminal holds ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/text_wrap.h"

#include "support/text_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

std::size_t columns_of(std::string_view text) {
  // Counts the bytes that begin a UTF-8 character.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
}

std::string shortened(const std::string &text, std::size_t columns) {
  const std::size_t all = columns_of(text);
  if (all <= columns)
    return text;
  std::size_t end = 0;
  for (std::size_t taken = 0; taken < columns; ++taken)
    do
      ++end;
    while (end < text.size() &&
           (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80);
  return fmt::format("{}... and {} more characters", text.substr(0, end),
                     format_count(all - columns));
}

std::string fitted(const std::string &text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  if (columns <= width)
    return text + std::string(width - columns, ' ');
  std::size_t skip = columns - width + 3;
  std::size_t at = 0;
  while (skip-- > 0)
    do
      ++at;
    while (at < text.size() &&
           (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  return "..." + text.substr(at);
}

std::string wrapped(std::string_view words, std::size_t indent,
                    std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const std::size_t columns = columns_of(word);
    if (column != indent && column + 1 + columns > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column != indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
  }
  return out + "\n";
}

} // namespace pagetide::tools

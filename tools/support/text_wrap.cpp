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

/// The bytes of the first `columns` columns. The text has as many.
static std::size_t bytes_of_columns(const std::string &text,
                                    std::size_t columns) {
  std::size_t end = 0;
  while (columns-- > 0)
    do
      ++end;
    while (end < text.size() &&
           (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80);
  return end;
}

std::string shortened(const std::string &text, std::size_t columns) {
  const std::size_t all = columns_of(text);
  if (all <= columns)
    return text;
  return fmt::format("{}... and {} more characters",
                     text.substr(0, bytes_of_columns(text, columns)),
                     format_count(all - columns));
}

std::string fitted(const std::string &text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  if (columns <= width)
    return text + std::string(width - columns, ' ');
  return "..." + text.substr(bytes_of_columns(text, columns - width + 3));
}

std::string fitted_at_end(const std::string &text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  if (columns <= width)
    return text + std::string(width - columns, ' ');
  return text.substr(0, bytes_of_columns(text, width - 3)) + "...";
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

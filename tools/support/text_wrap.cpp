//===- text_wrap.cpp - Text in lines that a terminal holds ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text_wrap.h"

#include "support/text_format.h"

#include <algorithm>

namespace pagetide::tools {

std::size_t columns_of(std::string_view text) {
  // Counts the bytes that begin a UTF-8 character.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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

static bool begins_with_unit(std::string_view words) {
  for (const std::string_view unit :
       {"ns", "us", "ms", "s", "%", "KiB", "MiB", "GiB", "TiB"})
    if (words.starts_with(unit) &&
        (words.size() == unit.size() || !is_letter(words[unit.size()])))
      return true;
  return false;
}

/// The text up to the first blank at which a line may end.
static std::string_view first_word(std::string_view words) {
  const std::size_t end = words.find(' ');
  if (end == 0 || end == std::string_view::npos || !is_digit(words[end - 1]) ||
      !begins_with_unit(words.substr(end + 1)))
    return words.substr(0, end);
  return words.substr(0, words.find(' ', end + 1));
}

std::string wrapped(std::string_view words, std::size_t indent,
                    std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!words.empty()) {
    const std::string_view word = first_word(words);
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

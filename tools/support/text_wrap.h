//===- text_wrap.h - Text in lines that a terminal holds ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace pagetide::tools {

/// The width of text if the reader's terminal is not known.
inline constexpr std::size_t kTextWidth = 80;

/// Columns that a terminal needs for printable text.
std::size_t columns_of(std::string_view text);

/// The text if it has at most `columns` columns. Otherwise its beginning, and
/// how many characters are missing.
std::string shortened(const std::string &text, std::size_t columns);

/// The text in exactly `width` columns. A text that is too long loses its
/// beginning, because the ends of paths tell them apart better.
std::string fitted(const std::string &text, std::size_t width);

/// The same, but a text that is too long loses its end.
std::string fitted_at_end(const std::string &text, std::size_t width);

/// The words in lines of at most `width` columns. Each line begins at column
/// `indent`; the caller has written the first line up to there. A word that is
/// wider than a line is alone on its line, and not divided. A number and its
/// unit (s, %, MiB) count as one word. Ends with a line break.
std::string wrapped(std::string_view words, std::size_t indent,
                    std::size_t width = kTextWidth);

/// Text that is made line by line.
class TextLines {
public:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args &&...args) {
    // format_to() would make all of fmt anew in each file.
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// The words in lines that are all indented.
  void paragraph(std::size_t indent, std::string_view words,
                 std::size_t width = kTextWidth) {
    labelled(std::string(indent, ' '), words, width);
  }
  /// The label and, behind it, the words in lines that begin where it ends.
  void labelled(std::string_view label, std::string_view words,
                std::size_t width) {
    text_ += label;
    text_ += wrapped(words, columns_of(label), width);
  }
  /// Text that has its line breaks already.
  void append(std::string_view text) { text_ += text; }

  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

} // namespace pagetide::tools

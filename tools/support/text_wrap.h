//===- text_wrap.h - Text in lines that a terminal holds ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_SUPPORT_TEXT_WRAP_H
#define PAGETIDE_TOOLS_SUPPORT_TEXT_WRAP_H

#include <cstddef>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// The width of text if the reader's terminal is not known.
inline constexpr std::size_t kTextWidth = 80;

/// Columns that a terminal needs for printable text.
std::size_t columns_of(std::string_view text);

/// The text if it has at most `columns` columns. Otherwise its beginning, and
/// how many characters are missing.
std::string shortened(const std::string &text, std::size_t columns);

/// The words in lines of at most `width` columns. Each line begins at column
/// `indent`; the caller has written the first line up to there. A word that is
/// wider than a line is alone on its line, and not divided. Ends with a line
/// break.
std::string wrapped(std::string_view words, std::size_t indent,
                    std::size_t width = kTextWidth);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_SUPPORT_TEXT_WRAP_H

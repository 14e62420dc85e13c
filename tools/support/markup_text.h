//===- markup_text.h - Text in HTML and SVG -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_SUPPORT_MARKUP_TEXT_H
#define PAGETIDE_TOOLS_SUPPORT_MARKUP_TEXT_H

#include <string>
#include <string_view>

namespace pagetide::tools {

/// The text with entities for the characters that mean something in HTML and
/// SVG.
std::string markup_text(std::string_view text);

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_SUPPORT_MARKUP_TEXT_H

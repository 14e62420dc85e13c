//===- markup_text.h - Text in HTML and SVG -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>
#include <string_view>

namespace pagetide::tools {

/// The text with entities for the characters that mean something in HTML and
/// SVG.
std::string markup_text(std::string_view text);

} // namespace pagetide::tools

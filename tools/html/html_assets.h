//===- html_assets.h - The parts of the document that never change --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string_view>

namespace pagetide::tools {

/// Files of tools/html/page.
struct HtmlAssets {
  /// @title@, @nonce@, @style@, @script@ and @data@ are replaced.
  std::string_view page;
  std::string_view style;
  std::string_view script;
};

/// Made by CMake.
extern const HtmlAssets kHtmlAssets;

} // namespace pagetide::tools

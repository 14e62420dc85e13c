//===- html_assets.h - The parts of the document that never change --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_HTML_HTML_ASSETS_H
#define PAGETIDE_TOOLS_HTML_HTML_ASSETS_H

#include <string_view>

namespace pagetide::tools {

/// Files of tools/html/page and of uPlot, which draws the curves.
struct HtmlAssets {
  /// @title@, @nonce@, @style@, @chart@, @script@ and @data@ are replaced.
  std::string_view page;
  std::string_view style;
  std::string_view script;
  std::string_view chart_style;
  std::string_view chart_script;
  std::string_view chart_licence;
};

/// Null if this build has none, because uPlot was not there. Made by CMake.
extern const HtmlAssets *const kHtmlAssets;

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_HTML_HTML_ASSETS_H

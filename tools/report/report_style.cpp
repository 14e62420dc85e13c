//===- report_style.cpp - How wide a report is, and with which signs ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/report_style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <langinfo.h>
#include <string_view>

namespace pagetide::tools {

namespace {

constexpr std::size_t kMinWidth = 60;
constexpr std::size_t kMaxWidth = 400;

Colors colors_of_terminal() {
  const char *no_color = std::getenv("NO_COLOR");
  const char *term = std::getenv("TERM");
  if (!::isatty(STDOUT_FILENO) || (no_color && *no_color) || !term || !*term ||
      std::string_view(term) == "dumb")
    return Colors::kNone;
  const char *color_term = std::getenv("COLORTERM");
  const bool many = std::strstr(term, "256color") ||
                    std::strstr(term, "direct") || (color_term && *color_term);
  return many ? Colors::kMany : Colors::kFew;
}

} // namespace

ReportStyle style_of_terminal() {
  ReportStyle style;
  winsize window;
  const char *columns = std::getenv("COLUMNS");
  if (columns && std::atoi(columns) > 0)
    style.width = static_cast<std::size_t>(std::atoi(columns));
  else if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 &&
           window.ws_col != 0)
    style.width = window.ws_col;
  style.width = std::clamp(style.width, kMinWidth, kMaxWidth);
  std::setlocale(LC_CTYPE, "");
  style.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  style.colors = colors_of_terminal();
  return style;
}

} // namespace pagetide::tools

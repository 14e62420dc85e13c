//===- runtime_options.cpp - Writes PAGETIDE_OPTIONS for a command --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "record/runtime_options.h"

#include "support/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace pagetide::tools {

std::string inherited_options() {
  const char *value = std::getenv(kOptionsVariable);
  return value ? value : "";
}

std::string option_in(std::string_view options, std::string_view name) {
  constexpr std::string_view kSeparators = ":, \t\n";
  std::string found;
  while (true) {
    options.remove_prefix(
        std::min(options.find_first_not_of(kSeparators), options.size()));
    const std::size_t equals = options.find('=');
    if (equals == std::string_view::npos)
      return found;
    const std::string_view key = options.substr(0, equals);
    options.remove_prefix(equals + 1);
    std::size_t end;
    std::string_view value;
    if (!options.empty() && (options[0] == '\'' || options[0] == '"')) {
      end = std::min(options.find(options[0], 1), options.size());
      value = options.substr(1, end - 1);
    } else {
      end = std::min(options.find_first_of(kSeparators), options.size());
      value = options.substr(0, end);
    }
    options.remove_prefix(std::min(end + 1, options.size()));
    if (key == name)
      found = value;
  }
}

void RuntimeOptions::add(const std::string &name, const std::string &value) {
  const char *quote = "";
  if (value.empty() ||
      value.find_first_of(" ,:\t\n\r'\"") != std::string::npos) {
    quote = value.find('\'') == std::string::npos ? "'" : "\"";
    if (value.find(quote) != std::string::npos)
      throw Failure(fmt::format(
          "{}: a name with both kinds of quotes cannot be given to the "
          "runtime; choose another",
          value));
  }
  if (!text_.empty() && text_.back() != ':')
    text_ += ':';
  text_ += fmt::format("{}={}{}{}", name, quote, value, quote);
}

} // namespace pagetide::tools

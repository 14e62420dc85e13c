//===- option_text.cpp - Reads the runtime's options ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/option_text.h"

#include <algorithm>

namespace pagetide::tools {

std::vector<OptionText> split_options(std::string_view options) {
  constexpr std::string_view kSeparators = ":, \t\n";
  std::vector<OptionText> found;
  while (true) {
    options.remove_prefix(
        std::min(options.find_first_not_of(kSeparators), options.size()));
    const std::size_t equals = options.find('=');
    if (equals == std::string_view::npos)
      return found;
    const std::string_view value = options.substr(equals + 1);
    OptionText option;
    option.name = options.substr(0, equals);
    std::size_t end;
    if (!value.empty() && (value[0] == '\'' || value[0] == '"')) {
      const std::size_t quote = std::min(value.find(value[0], 1), value.size());
      option.value = value.substr(1, quote - 1);
      end = std::min(quote + 1, value.size());
    } else {
      end = std::min(value.find_first_of(kSeparators), value.size());
      option.value = value.substr(0, end);
    }
    option.written = options.substr(0, equals + 1 + end);
    options.remove_prefix(option.written.size());
    found.push_back(option);
  }
}

std::string option_in(std::string_view options, std::string_view name) {
  std::string_view value;
  for (const OptionText &option : split_options(options))
    if (option.name == name)
      value = option.value;
  return std::string(value);
}

} // namespace pagetide::tools

//===- runtime_options.cpp - Writes PAGETIDE_OPTIONS for a command --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/runtime_options.h"

#include "support/failure.h"

#include <fmt/format.h>

#include <cstdlib>

namespace pagetide::tools {

std::string inherited_options() {
  const char *value = std::getenv(kOptionsVariable);
  return value ? value : "";
}

void RuntimeOptions::add(const std::string &name, const std::string &value) {
  const char *quote = "";
  if (value.empty() ||
      value.find_first_of(" ,:\t\n\r'\"") != std::string::npos) {
    quote = value.find('\'') == std::string::npos ? "'" : "\"";
    if (value.find(quote) != std::string::npos)
      throw Failure("{}: a name with both kinds of quotes cannot be passed to "
                    "the runtime; choose another name",
                    value);
  }
  if (!text_.empty() && text_.back() != ':')
    text_ += ':';
  text_ += fmt::format("{}={}{}{}", name, quote, value, quote);
}

} // namespace pagetide::tools

//===- failure.h - An error that ends a command ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace pagetide::tools {

/// Ends the running command. main prints "pagetide: " and the text, and exits
/// with the command's failure status. The text says what failed, why, and what
/// to do.
class Failure : public std::runtime_error {
public:
  explicit Failure(const std::string &text) : std::runtime_error(text) {}
  /// The text that fmt::format makes of these.
  template <typename Value, typename... Values>
  Failure(fmt::format_string<Value, Values...> format, Value &&value,
          Values &&...values)
      : std::runtime_error(fmt::format(format, std::forward<Value>(value),
                                       std::forward<Values>(values)...)) {}
};

} // namespace pagetide::tools

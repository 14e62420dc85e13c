//===- say.h - Messages to the user ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace pagetide::tools {

/// Writes to standard error. Where nobody can read a message, the command goes
/// on without it.
void write_message(const std::string &text);

/// A line on standard error.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args &&...args) {
  write_message(fmt::format("pagetide: {}\n",
                            fmt::format(format, std::forward<Args>(args)...)));
}

} // namespace pagetide::tools

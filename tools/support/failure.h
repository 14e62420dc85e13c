//===- failure.h - An error that ends a command ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <stdexcept>
#include <string>

namespace pagetide::tools {

/// Ends the running command. main prints "pagetide: " and the text, and exits
/// with the command's failure status. The text says what failed, why, and what
/// to do.
class Failure : public std::runtime_error {
public:
  explicit Failure(const std::string &text) : std::runtime_error(text) {}
};

} // namespace pagetide::tools

//===- runtime_options.h - Writes PAGETIDE_OPTIONS for a command ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <string>

namespace pagetide::tools {

inline constexpr const char kOptionsVariable[] = "PAGETIDE_OPTIONS";

/// The options in this process's own environment.
std::string inherited_options();

/// Appends options to those in `before`. If two options have the same name, the
/// runtime takes the later one.
class RuntimeOptions {
public:
  explicit RuntimeOptions(std::string before) : text_(std::move(before)) {}

  /// Quotes the value if it has a character that separates options. Throws
  /// Failure if the value cannot be quoted.
  void add(const std::string &name, const std::string &value);
  const std::string &text() const { return text_; }

private:
  std::string text_;
};

} // namespace pagetide::tools

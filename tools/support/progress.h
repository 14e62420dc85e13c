//===- progress.h - How far a long command is -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// One line that says how far a command is. It appears if the command takes
/// longer than two seconds, changes twice a second, and is gone at the end.
class Progress {
public:
  using Clock = std::function<std::uint64_t()>; ///< nanoseconds
  using Show = std::function<void(std::string_view text)>;

  /// On standard error if that is a terminal, otherwise nowhere.
  Progress();
  Progress(Clock clock, Show show);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;

  /// `done` of `total` bytes of what has this name; 0 of 0 if that is not
  /// known.
  void at(const std::string &name, std::uint64_t done, std::uint64_t total);
  /// Removes the line, so that something else can be printed.
  void clear();

private:
  Clock clock_;
  Show show_; ///< empty: nowhere
  std::uint64_t start_ns_ = 0;
  std::uint64_t next_ns_ = 0;
  bool is_shown_ = false;
};

} // namespace pagetide::tools

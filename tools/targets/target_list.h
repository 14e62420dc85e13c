//===- target_list.h - The user's list of programs to record --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <string>
#include <string_view>
#include <vector>

namespace pagetide::tools {

/// A program that records by itself (pagetide/targets_file.h).
struct Target {
  std::string program;
  std::string folder;
  std::string options;
};

/// The list's path, from XDG_CONFIG_HOME or HOME. Throws Failure if neither is
/// an absolute path.
std::string target_list_path();

/// The folder for the traces of a program, from XDG_STATE_HOME or HOME. Throws
/// Failure as above.
std::string default_target_folder(const std::string &program);

/// Why the list cannot have such an entry; empty if it can.
std::string why_no_target(const Target &target);

/// Reads the text of a list. Throws Failure, without a path, if it is none.
std::vector<Target> parse_target_list(std::string_view text);
std::string target_list_text(const std::vector<Target> &targets);

/// The list, locked against other changes while this object lives.
class TargetList {
public:
  /// Reads the list. Makes its folder if it is absent. Throws Failure if the
  /// file is no list of this version, or if others may write to it.
  static TargetList open(const std::string &path);
  /// The same, and a file that is no list counts as an empty one.
  static TargetList open_for_reset(const std::string &path);

  const std::vector<Target> &targets() const { return targets_; }
  /// Returns whether the program was in the list before.
  bool put(const Target &target);
  bool remove(std::string_view program);
  void clear() { targets_.clear(); }

  /// Replaces the file; removes it if the list is empty. Throws Failure, and
  /// then the earlier file stays.
  void save() const;

private:
  explicit TargetList(const std::string &path);

  std::string path_;
  UniqueFd lock_;
  std::vector<Target> targets_;
};

} // namespace pagetide::tools

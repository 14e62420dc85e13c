//===- published_options.h - The options of a run, for all of it ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <string>

namespace pagetide::tools {

/// A file with the options of the run (pagetide/shadow_file.h), while this
/// object lives. Descendants of this process read it if their environment has
/// lost PAGETIDE_OPTIONS.
class PublishedOptions {
public:
  /// Makes the file, and removes those of records that were killed.
  explicit PublishedOptions(const std::string &options);
  /// As the above, in another directory.
  PublishedOptions(const std::string &options, std::string directory);
  ~PublishedOptions();
  PublishedOptions(const PublishedOptions &) = delete;

  /// Why there is no file; empty if there is one.
  const std::string &problem() const { return problem_; }

private:
  /// Makes the file. Returns false if the directory was removed meanwhile.
  bool make_file(const std::string &options);
  void remove_leftovers() const;

  std::string directory_path_;
  std::string name_;
  std::string problem_;
  UniqueFd directory_;
  UniqueFd file_; ///< locked
};

} // namespace pagetide::tools

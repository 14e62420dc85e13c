//===- replaced_file.h - A file that appears when it is whole -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <sys/stat.h>

#include <string>

namespace pagetide::tools {

/// A new file beside the one that it will replace. It is removed unless it is
/// put in place, also if SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the process.
/// Nobody finds half a file under the name. At most one exists at a time.
class ReplacedFile {
public:
  /// Throws Failure if there can be no file of this name, or if something other
  /// than a regular file has it.
  explicit ReplacedFile(const std::string &name);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile &) = delete;

  /// Of the new file, which is empty at first.
  const std::string &path() const { return path_; }
  /// Gives it its name. A file of that name is replaced; the new one has its
  /// rights.
  void put_in_place();

private:
  std::string name_; ///< a link has been followed
  std::string path_; ///< empty after it was put in place
};

/// What is written to \p name can be written beside it first: nothing has the
/// name, or a regular file in a directory where we may make another.
bool can_be_replaced(const std::string &name);

/// Whether both are there and are the same file.
inline bool are_one_file(const std::string &a, const std::string &b) {
  struct stat status_a;
  struct stat status_b;
  return ::stat(a.c_str(), &status_a) == 0 &&
         ::stat(b.c_str(), &status_b) == 0 &&
         status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}

} // namespace pagetide::tools

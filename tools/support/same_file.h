//===- same_file.h - Whether two names mean one file ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include <sys/stat.h>

#include <string>

namespace pagetide::tools {

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

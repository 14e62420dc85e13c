//===- run_directory.cpp - Where processes of one user find a run ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/run_directory.h"

#include "pagetide/shadow_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

std::string run_directory(uid_t user) {
  return fmt::format("{}{}", shadow_file::kRunDirectory, user);
}

UniqueFd open_run_directory(const std::string &path, uid_t user,
                            std::string &problem) {
  ::mkdir(path.c_str(), 0700);
  UniqueFd directory(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status;
  if (!directory && errno == ENOENT)
    return directory;
  if (!directory)
    problem = fmt::format("{}: cannot be opened as a directory: {}", path,
                          std::strerror(errno));
  else if (::fstat(directory.get(), &status) != 0 || status.st_uid != user ||
           (status.st_mode & 077))
    problem = fmt::format(
        "{}: is not a directory that {} alone may use; remove it, or have its "
        "owner remove it",
        path, user == ::geteuid() ? "you" : fmt::format("user {}", user));
  if (!problem.empty())
    directory.reset();
  return directory;
}

} // namespace pagetide::tools

//===- replaced_file.cpp - A file that appears when it is whole -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "export/replaced_file.h"

#include "support/failure.h"
#include "support/unique_fd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace pagetide::tools {

ReplacedFile::ReplacedFile(std::string name) : name_(std::move(name)) {
  struct stat status;
  if (::stat(name_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Failure(fmt::format("{}: is no regular file, and a database cannot "
                              "be written to it; give the name of a file",
                              name_));
  std::string path = name_ + ".XXXXXX";
  const UniqueFd fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd)
    throw Failure(
        fmt::format("{}: cannot be created: {}", name_, std::strerror(errno)));
  path_ = path;
  // mkostemp gives rights to the user alone.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd.get(), 0666 & ~mask) != 0)
    throw Failure(fmt::format("{}: its rights cannot be set: {}", name_,
                              std::strerror(errno)));
}

ReplacedFile::~ReplacedFile() {
  if (!path_.empty())
    ::unlink(path_.c_str());
}

void ReplacedFile::put_in_place() {
  if (std::rename(path_.c_str(), name_.c_str()) != 0)
    throw Failure(fmt::format("{}: the finished file {} cannot be renamed to "
                              "it: {}",
                              name_, path_, std::strerror(errno)));
  path_.clear();
}

} // namespace pagetide::tools

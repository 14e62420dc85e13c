//===- replaced_file.cpp - A file that appears when it is whole -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/replaced_file.h"

#include "support/failure.h"
#include "support/held_signals.h"
#include "support/unique_fd.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace pagetide::tools {

namespace {

/// The path of what is being written, for the handler below.
std::atomic<const char *> unfinished = nullptr;

/// The signal then ends the process as if nobody had handled it: its action is
/// the default again, and it is blocked until this returns.
void remove_unfinished(int signal) {
  if (const char *path = unfinished.exchange(nullptr))
    ::unlink(path);
  ::raise(signal);
}

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction action;
    if (::sigaction(signal, nullptr, &action) != 0 ||
        action.sa_handler != SIG_DFL)
      continue;
    action.sa_handler = remove_unfinished;
    action.sa_flags = SA_RESETHAND;
    ::sigaction(signal, &action, nullptr);
  }
}

/// Where the name leads. In a directory that other users may write to, a link
/// can be a trap. So only links of the caller or of root are followed.
std::string followed(const std::string &name) {
  std::filesystem::path path = name;
  struct stat link;
  for (int links = 0;
       links < 40 && ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
       ++links) {
    if (link.st_uid != ::geteuid() && link.st_uid != 0)
      throw Failure("{}: is a link of another user, and such links are not "
                    "followed; give another name",
                    name);
    std::error_code error;
    const auto target = std::filesystem::read_symlink(path, error);
    if (error)
      break;
    path = path.parent_path() / target; // an absolute target stands alone
  }
  return path.string();
}

} // namespace

ReplacedFile::ReplacedFile(const std::string &name) : name_(followed(name)) {
  struct stat status;
  const bool exists = ::stat(name_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    throw Failure(
        "{}: is no regular file; give the name of a file that may be replaced",
        name);
  const HeldSignals held; // none comes before the handler knows the file
  std::string path = name_ + ".XXXXXX";
  const UniqueFd fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd)
    throw Failure("{}: cannot be created: {}", name, std::strerror(errno));
  path_ = path;
  unfinished = path_.c_str();
  handle_signals();
  // mkostemp gives rights to the user alone.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t rights = exists ? status.st_mode & 07777 : 0666 & ~mask;
  if (::fchmod(fd.get(), rights) != 0)
    throw Failure("{}: its rights cannot be set: {}", name,
                  std::strerror(errno));
}

ReplacedFile::~ReplacedFile() {
  unfinished = nullptr;
  if (!path_.empty())
    ::unlink(path_.c_str());
}

bool can_be_replaced(const std::string &name) {
  struct stat status;
  if (::stat(name.c_str(), &status) != 0)
    return true; // the attempt says why not
  const std::filesystem::path folder =
      std::filesystem::path(followed(name)).parent_path();
  return S_ISREG(status.st_mode) &&
         ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

void ReplacedFile::put_in_place() {
  if (std::rename(path_.c_str(), name_.c_str()) != 0)
    throw Failure("{}: the finished file {} cannot be renamed to it: {}", name_,
                  path_, std::strerror(errno));
  unfinished = nullptr;
  path_.clear();
}

} // namespace pagetide::tools

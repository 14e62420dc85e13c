//===- run_socket.cpp - Where a run's processes reach record --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/run_socket.h"

#include "support/failure.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace pagetide::tools {

namespace {

constexpr int kBacklog = 4096;
constexpr std::string_view kDirectoryPrefix = "pagetide-run-";
constexpr char kSocketName[] = "control";

UniqueFd open_directory(int base, const char *name) {
  return UniqueFd(
      ::openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

/// Removes the directories of this user's records that were killed. The kernel
/// has released their locks.
void remove_leftovers(const std::string &base) {
  const std::unique_ptr<DIR, int (*)(DIR *)> entries(
      ::opendir(base.c_str()),
      [](DIR *stream) { return stream ? ::closedir(stream) : 0; });
  while (const dirent *entry = entries ? ::readdir(entries.get()) : nullptr) {
    if (!std::string_view(entry->d_name).starts_with(kDirectoryPrefix))
      continue;
    const UniqueFd directory =
        open_directory(::dirfd(entries.get()), entry->d_name);
    struct stat status;
    if (!directory || ::fstat(directory.get(), &status) != 0 ||
        status.st_uid != ::geteuid() ||
        ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0)
      continue;
    ::unlinkat(directory.get(), kSocketName, 0);
    ::unlinkat(::dirfd(entries.get()), entry->d_name, AT_REMOVEDIR);
  }
}

} // namespace

RunSocket::RunSocket() {
  std::string problem = "no directory for it is known";
  for (const char *base :
       {static_cast<const char *>(std::getenv("XDG_RUNTIME_DIR")),
        static_cast<const char *>(std::getenv("TMPDIR")), "/tmp"}) {
    // A child that changes its directory would not find a relative path.
    if (!base || base[0] != '/')
      continue;
    problem = make_in(base);
    if (problem.empty())
      return;
    remove();
  }
  throw Failure("the control socket cannot be made: {}; set TMPDIR to a "
                "directory that you may write to",
                problem);
}

RunSocket::~RunSocket() { remove(); }

void RunSocket::remove() {
  if (directory_.empty())
    return;
  ::unlink(path_.c_str());
  ::rmdir(directory_.c_str());
  directory_.clear();
}

/// Makes the directory and locks it.
std::string RunSocket::make_directory(const std::string &base) {
  // Another record may take it for a leftover before it is locked.
  constexpr int kMaxTries = 100;
  for (int i = 0; i < kMaxTries; ++i) {
    std::string directory = fmt::format("{}/{}XXXXXX", base, kDirectoryPrefix);
    if (!::mkdtemp(directory.data()))
      return fmt::format("{}: {}", base, std::strerror(errno));
    lock_ = open_directory(AT_FDCWD, directory.c_str());
    struct stat status;
    if (lock_ && ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 &&
        ::fstat(lock_.get(), &status) == 0 && status.st_nlink != 0) {
      directory_ = directory;
      return {};
    }
    ::rmdir(directory.c_str());
  }
  return fmt::format("{}: other processes remove new directories again and "
                     "again, or cannot lock them",
                     base);
}

std::string RunSocket::make_in(const std::string &base) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  constexpr std::size_t kRandomBytes = 6; // of mkdtemp's names
  if (base.size() + kDirectoryPrefix.size() + kRandomBytes +
          sizeof(kSocketName) + 2 >
      sizeof(address.sun_path))
    return fmt::format("{}: the path is too long for a socket", base);
  remove_leftovers(base);
  if (std::string problem = make_directory(base); !problem.empty())
    return problem;
  path_ = fmt::format("{}/{}", directory_, kSocketName);
  std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
  listener_.reset(
      ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener_ &&
      ::bind(listener_.get(), reinterpret_cast<const sockaddr *>(&address),
             sizeof(address)) == 0 &&
      ::listen(listener_.get(), kBacklog) == 0)
    return {};
  return fmt::format("{}: {}", path_, std::strerror(errno));
}

} // namespace pagetide::tools

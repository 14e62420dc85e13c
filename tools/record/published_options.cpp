//===- published_options.cpp - The options of a run, for all of it --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "record/published_options.h"

#include "support/run_directory.h"

#include "pagetide/shadow_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace pagetide::tools {

namespace {

/// When this process started, as /proc tells it; empty if it does not.
std::string own_start_time() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // Field 2, the program's name, is in parentheses and may hold blanks.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos)
    return {};
  std::istringstream rest(text.substr(name_end + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number)
    rest >> field;
  return rest ? field : std::string();
}

/// Returns 0, or the errno.
int write_whole(int fd, const std::string &text) {
  const ssize_t done = ::write(fd, text.data(), text.size());
  if (done < 0)
    return errno;
  // A file takes less than it is given only if there is no more room.
  return static_cast<std::size_t>(done) == text.size() ? 0 : ENOSPC;
}

/// Whether the file at `fd` still has a name.
bool has_name(int fd) {
  struct stat status;
  return ::fstat(fd, &status) == 0 && status.st_nlink != 0;
}

} // namespace

PublishedOptions::PublishedOptions(const std::string &options)
    : PublishedOptions(options, run_directory(::geteuid())) {}

PublishedOptions::PublishedOptions(const std::string &options,
                                   std::string directory)
    : directory_path_(std::move(directory)) {
  const std::string start_time = own_start_time();
  if (start_time.empty()) {
    problem_ = "/proc/self/stat cannot be read; is /proc mounted?";
    return;
  }
  if (options.size() >= shadow_file::kMaxRunOptionsBytes) {
    problem_ = fmt::format("the options have {} bytes, which is too many",
                           options.size());
    return;
  }
  name_ = fmt::format("{}.{}", ::getpid(), start_time);
  // Another record that ends may remove the directory at any moment.
  constexpr int kMaxTries = 100;
  for (int i = 0; i < kMaxTries; ++i) {
    directory_ = open_run_directory(directory_path_, ::geteuid(), problem_);
    if (!problem_.empty())
      return;
    if (!directory_)
      continue;
    remove_leftovers();
    if (make_file(options))
      return;
  }
  problem_ = fmt::format("{}: other processes remove this directory again and "
                         "again",
                         directory_path_);
}

PublishedOptions::~PublishedOptions() {
  if (!file_)
    return;
  ::unlinkat(directory_.get(), name_.c_str(), 0);
  // This fails while other records of the user have their files there.
  ::rmdir(directory_path_.c_str());
}

bool PublishedOptions::make_file(const std::string &options) {
  // Only a record that was killed, before the system was started anew, can
  // have had this name.
  ::unlinkat(directory_.get(), name_.c_str(), 0);
  file_.reset(::openat(directory_.get(), name_.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                       0600));
  if (!file_ && errno == ENOENT)
    return false;
  int error = file_ && ::flock(file_.get(), LOCK_EX) == 0 ? 0 : errno;
  if (error == 0)
    error = write_whole(file_.get(), options);
  if (error != 0) {
    problem_ = fmt::format("{}/{}: cannot be written: {}", directory_path_,
                           name_, std::strerror(error));
    ::unlinkat(directory_.get(), name_.c_str(), 0);
    file_.reset();
    return true;
  }
  // Another record may have taken it for a leftover before it was locked.
  return has_name(file_.get());
}

void PublishedOptions::remove_leftovers() const {
  // readdir moves the descriptor's position, and closedir closes it.
  const std::unique_ptr<DIR, int (*)(DIR *)> entries(
      ::fdopendir(
          ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      [](DIR *stream) { return stream ? ::closedir(stream) : 0; });
  while (const dirent *entry = entries ? ::readdir(entries.get()) : nullptr) {
    if (entry->d_name[0] == '.')
      continue;
    const UniqueFd fd(::openat(directory_.get(), entry->d_name,
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    // The kernel has released the lock of a record that has ended.
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
      ::unlinkat(directory_.get(), entry->d_name, 0);
  }
}

} // namespace pagetide::tools

//===- text_output.cpp - Text on its way to a file or a pipe --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/text_output.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

} // namespace

TextOutput::TextOutput() : fd_(STDOUT_FILENO), name_("standard output") {}

namespace {

/// Creates or empties a file. In a directory that other users may write to, a
/// link can be a trap. So only links of the caller or of root are followed.
int open_output(const std::string &path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int fd = ::open(path.c_str(), kFlags | O_NOFOLLOW, 0666);
  if (fd >= 0 || errno != ELOOP)
    return fd;
  struct stat link;
  if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode) &&
      link.st_uid != ::geteuid() && link.st_uid != 0)
    throw Failure(fmt::format("{}: is a link of another user, and such links "
                              "are not followed; give another name",
                              path));
  return ::open(path.c_str(), kFlags, 0666);
}

} // namespace

TextOutput::TextOutput(const std::string &path)
    : own_(open_output(path)), fd_(own_.get()), name_(path) {
  if (!own_)
    throw Failure(
        fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
}

void TextOutput::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes)
    flush();
}

void TextOutput::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t done = ::write(fd_, rest.data(), rest.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0 && errno == EPIPE)
      throw ReaderGone();
    if (done < 0)
      throw Failure(fmt::format("{}: cannot be written: {}", name_,
                                std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  buffer_.clear();
}

void TextOutput::close() {
  flush();
  // Some file systems report a full disk only now.
  if (own_ && ::close(own_.release()) != 0 && errno != EINTR)
    throw Failure(
        fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
}

} // namespace pagetide::tools

//===- byte_source.cpp - Where the bytes of a trace come from -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trace/byte_source.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kReadAhead = 256 * 1024;

} // namespace

FileSource::FileSource(const std::string &path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), name_(path),
      buffer_(kReadAhead) {
  if (!fd_)
    throw Failure(
        fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  struct stat status;
  if (::fstat(fd_.get(), &status) != 0)
    throw Failure(
        fmt::format("{}: cannot be examined: {}", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode))
    throw Failure(
        fmt::format("{}: is no regular file, so it is no trace", path));
}

FileSource::FileSource(UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(kReadAhead) {}

std::size_t FileSource::read(void *buffer, std::size_t bytes) {
  auto *out = static_cast<std::uint8_t *>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    if (taken_ == buffered_) {
      const ssize_t got = ::read(fd_.get(), buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        throw Failure(
            fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
      if (got == 0)
        break;
      buffered_ = static_cast<std::size_t>(got);
      taken_ = 0;
    }
    const std::size_t step = std::min(bytes - done, buffered_ - taken_);
    std::memcpy(out + done, buffer_.data() + taken_, step);
    taken_ += step;
    done += step;
  }
  return done;
}

std::size_t MemorySource::read(void *buffer, std::size_t bytes) {
  const std::size_t step = std::min(bytes, bytes_.size());
  if (step != 0)
    std::memcpy(buffer, bytes_.data(), step);
  bytes_ = bytes_.subspan(step);
  return step;
}

} // namespace pagetide::tools

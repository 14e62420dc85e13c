//===- byte_source.cpp - Where the bytes of a trace come from -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/byte_source.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kReadAhead = 256 * 1024;

/// Its pages are not touched before they are needed: most traces are small.
std::unique_ptr<std::uint8_t[]> make_window() {
  return std::make_unique_for_overwrite<std::uint8_t[]>(kReadAhead);
}

} // namespace

FileSource::FileSource(const std::string &path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), name_(path),
      window_(make_window()) {
  if (!fd_)
    throw Failure("{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat status;
  if (::fstat(fd_.get(), &status) != 0)
    throw Failure("{}: cannot be examined: {}", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    throw Failure("{}: is a directory; name a trace in it, a file that "
                  "pagetide record wrote",
                  path);
  if (!S_ISREG(status.st_mode))
    throw Failure("{}: is no regular file, so it is no trace", path);
}

FileSource::FileSource(UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), window_(make_window()) {}

/// As pread, but whole unless the file ends.
std::size_t FileSource::pread(std::uint64_t offset, void *buffer,
                              std::size_t bytes) {
  auto *out = static_cast<std::uint8_t *>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(fd_.get(), out + done, bytes - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw Failure("{}: cannot be read: {}", name_, std::strerror(errno));
    if (got == 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t FileSource::read_at(std::uint64_t offset, void *buffer,
                                std::size_t bytes) {
  auto *out = static_cast<std::uint8_t *>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    const std::uint64_t at = offset + done;
    if (at >= window_offset_ && at - window_offset_ < window_bytes_) {
      const auto begin = static_cast<std::size_t>(at - window_offset_);
      const std::size_t step = std::min(bytes - done, window_bytes_ - begin);
      std::memcpy(out + done, window_.get() + begin, step);
      done += step;
      continue;
    }
    if (bytes - done >= kReadAhead)
      return done + pread(at, out + done, bytes - done);
    window_offset_ = at;
    window_bytes_ = 0; // should pread throw
    window_bytes_ = pread(at, window_.get(), kReadAhead);
    if (window_bytes_ == 0)
      break;
  }
  return done;
}

std::uint64_t FileSource::size() {
  struct stat status;
  if (::fstat(fd_.get(), &status) != 0)
    throw Failure("{}: cannot be examined: {}", name_, std::strerror(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t MemorySource::read_at(std::uint64_t offset, void *buffer,
                                  std::size_t bytes) {
  if (offset >= bytes_.size())
    return 0;
  const std::span<const std::uint8_t> rest =
      bytes_.subspan(static_cast<std::size_t>(offset));
  const std::size_t step = std::min(bytes, rest.size());
  if (step != 0)
    std::memcpy(buffer, rest.data(), step);
  return step;
}

} // namespace pagetide::tools

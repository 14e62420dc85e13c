//===- file.cpp - A file, and what goes wrong with it ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/file.h"

#include "format/error.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace pagetide::checkpoint {

namespace {

constexpr mode_t kFileMode = 0600; // it has the program's memory

[[noreturn]] void fail(const std::string &path, const char *call, int error) {
  std::string text = path + ": " + call + " failed: " + errno_text(error);
  if (error == ENOSPC || error == EDQUOT)
    text += ". Make room; earlier checkpoints are whole";
  else if (error == EFBIG)
    text += ". See ulimit -f";
  else if (error == EPIPE)
    text += ". Nobody reads it any more";
  throw Error(Problem::kIo, text);
}

/// After a call that failed. Waits for a file that does not wait by itself.
bool may_try_again(int fd, short events) {
  if (errno == EAGAIN) {
    pollfd ready = {fd, events, 0};
    ::poll(&ready, 1, -1);
    return true;
  }
  return errno == EINTR;
}

} // namespace

std::string errno_text(int error) {
  const char *name = ::strerrorname_np(error);
  const char *meaning = ::strerrordesc_np(error);
  return std::string(name ? name : "an unknown error") + " (" +
         (meaning ? meaning : std::to_string(error)) + ")";
}

File::File(std::string path, int flags)
    : path_(std::move(path)),
      fd_(::open(path_.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kFileMode)) {
  if (fd_ >= 0)
    return;
  if (errno == ENOENT && !(flags & O_CREAT))
    throw FileGone(path_);
  fail(path_, "open", errno);
}

File File::of(std::string name, int fd) {
  File file;
  file.path_ = std::move(name);
  file.fd_ = fd;
  return file;
}

File &File::operator=(File &&other) noexcept {
  if (this != &other) {
    close();
    path_ = std::move(other.path_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void File::close() {
  if (fd_ >= 0)
    ::close(std::exchange(fd_, -1));
}

std::uint64_t File::size() const {
  struct stat status = {};
  if (::fstat(fd_, &status) != 0)
    fail(path_, "fstat", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void File::read_at(std::uint64_t offset, std::span<std::uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t got =
        ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail(path_, "pread", errno);
    if (got == 0)
      throw Error(Problem::kDamaged, path_ + ": is damaged: it ends at byte " +
                                         std::to_string(offset));
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::size_t File::read(std::span<std::uint8_t> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::read(fd_, out.data() + done, out.size() - done);
    if (got < 0 && may_try_again(fd_, POLLIN))
      continue;
    if (got < 0)
      fail(path_, "read", errno);
    if (got == 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::append(std::span<const std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && may_try_again(fd_, POLLOUT))
      continue;
    if (put < 0)
      fail(path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::sync() const {
  if (::fdatasync(fd_) != 0)
    fail(path_, "fdatasync", errno);
}

void File::give_back(std::uint64_t bytes) const {
  // If it cannot, the disk has less room: nothing else is wrong.
  ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              static_cast<off_t>(bytes));
}

bool File::try_lock() const {
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return false;
    if (errno != EINTR)
      fail(path_, "flock", errno);
  }
  return true;
}

Bytes read_file(const std::string &path, std::uint64_t most) {
  const File file(path, O_RDONLY);
  const std::uint64_t size = file.size();
  if (size > most)
    throw Error(Problem::kDamaged,
                path + ": is damaged: it is larger than any that is written");
  Bytes bytes(size);
  file.read_at(0, bytes);
  return bytes;
}

void remove_file(const std::string &path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    fail(path, "unlink", errno);
}

void rename_file(const std::string &from, const std::string &to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    fail(from, "rename", errno);
}

void sync_folder(const std::string &folder) {
  const File opened(folder, O_RDONLY | O_DIRECTORY);
  if (::fsync(opened.fd()) != 0)
    fail(folder, "fsync", errno);
}

} // namespace pagetide::checkpoint

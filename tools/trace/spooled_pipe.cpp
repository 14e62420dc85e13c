//===- spooled_pipe.cpp - A pipe that can be read more than once ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/spooled_pipe.h"

#include "support/failure.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace pagetide::tools {

namespace {

constexpr std::size_t kPipeReadBytes = 256 * 1024;

std::string temporary_directory() {
  const char *directory = ::getenv("TMPDIR");
  return directory && *directory ? directory : "/tmp";
}

/// A file that has no name, and so is gone when it is closed.
UniqueFd temporary_file(const std::string &directory) {
  UniqueFd file(
      ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file)
    return file;
  // Not all file systems have such files.
  std::string path = directory + "/pagetide.XXXXXX";
  file.reset(::mkostemp(path.data(), O_CLOEXEC));
  if (!file)
    throw Failure("{}: no temporary file can be made there: {}; name another "
                  "directory with TMPDIR",
                  directory, std::strerror(errno));
  ::unlink(path.c_str());
  return file;
}

} // namespace

SpooledPipe::SpooledPipe(int pipe, std::string name)
    : pipe_(pipe), name_(std::move(name)),
      file_(temporary_file(temporary_directory())), buffer_(kPipeReadBytes) {}

void SpooledPipe::fill_up_to(std::uint64_t end) {
  while (!ended_ && bytes_ < end) {
    const ssize_t got = ::read(pipe_, buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw Failure("{}: cannot be read: {}", name_, std::strerror(errno));
    ended_ = got == 0;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::pwrite(file_.get(), buffer_.data() + done,
                                   static_cast<std::size_t>(got - done),
                                   static_cast<off_t>(bytes_));
      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        throw Failure("{}: the temporary file for it in {} cannot be written: "
                      "{}; name another directory with TMPDIR",
                      name_, temporary_directory(), std::strerror(errno));
      done += put;
      bytes_ += static_cast<std::uint64_t>(put);
    }
  }
}

class SpooledPipe::Reader : public ByteSource {
public:
  explicit Reader(std::shared_ptr<SpooledPipe> spool)
      : spool_(std::move(spool)),
        file_(UniqueFd(::fcntl(spool_->file_.get(), F_DUPFD_CLOEXEC, 0)),
              spool_->name_) {}

  std::size_t read_at(std::uint64_t offset, void *buffer,
                      std::size_t bytes) override {
    if (offset > UINT64_MAX - bytes)
      return 0;
    spool_->fill_up_to(offset + bytes);
    return file_.read_at(offset, buffer, bytes);
  }
  std::uint64_t size() override {
    spool_->fill_up_to(UINT64_MAX);
    return spool_->bytes_;
  }

private:
  std::shared_ptr<SpooledPipe> spool_;
  FileSource file_;
};

std::unique_ptr<ByteSource>
SpooledPipe::reader(const std::shared_ptr<SpooledPipe> &spool) {
  return std::make_unique<Reader>(spool);
}

} // namespace pagetide::tools

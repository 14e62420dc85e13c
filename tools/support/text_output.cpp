//===- text_output.cpp - Text on its way to a file or a pipe --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text_output.h"

#include "support/failure.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

} // namespace

TextOutput::TextOutput() : fd_(STDOUT_FILENO), name_("standard output") {}

TextOutput::TextOutput(const std::string &path)
    : file_(can_be_replaced(path) ? std::make_unique<ReplacedFile>(path)
                                  : nullptr),
      own_(::open(file_ ? file_->path().c_str() : path.c_str(),
                  O_WRONLY | O_TRUNC | O_CLOEXEC)),
      fd_(own_.get()), name_(path) {
  if (!own_)
    throw Failure("{}: cannot be written: {}", path, std::strerror(errno));
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
      throw Failure("{}: cannot be written: {}", name_, std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  buffer_.clear();
}

void TextOutput::close() {
  flush();
  // Some file systems report a full disk only now.
  if (own_ && ::close(own_.release()) != 0 && errno != EINTR)
    throw Failure("{}: cannot be written: {}", name_, std::strerror(errno));
  if (file_)
    file_->put_in_place();
}

} // namespace pagetide::tools

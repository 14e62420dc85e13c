//===- text_output.cpp - Text on its way to a file or a pipe --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text_output.h"

#include "failure.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace pagetide::tools {

namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

} // namespace

TextOutput::TextOutput() : fd_(STDOUT_FILENO), name_("standard output") {}

TextOutput::TextOutput(const std::string &path)
    : own_(
          ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      fd_(own_.get()), name_(path) {
  if (!own_)
    throw Failure(
        fmt::format("{}: cannot be made: {}", path, std::strerror(errno)));
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
  // Some file systems tell only now that the disk is full.
  if (own_ && ::close(own_.release()) != 0 && errno != EINTR)
    throw Failure(
        fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
}

} // namespace pagetide::tools

//===- text_output.h - Text on its way to a file or a pipe ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/replaced_file.h"
#include "support/unique_fd.h"

#include <memory>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// Takes text in pieces of any size.
class TextSink {
public:
  virtual ~TextSink() = default;
  virtual void write(std::string_view text) = 0;
};

/// Nobody reads our output any more. No message is needed.
struct ReaderGone {};

/// Buffers text for standard output or a file. Throws Failure if the text
/// cannot be written, and ReaderGone if nobody reads the pipe any more.
class TextOutput : public TextSink {
public:
  /// Standard output.
  TextOutput();
  /// Creates or replaces the file, which appears when it is closed. What is no
  /// regular file is written to, and so is a file whose directory may not be
  /// written to.
  explicit TextOutput(const std::string &path);

  void write(std::string_view text) override;
  /// Passes on what is buffered.
  void flush();
  /// Must be called at the end; otherwise text is lost, and there is no file.
  void close();

private:
  std::unique_ptr<ReplacedFile> file_;
  UniqueFd own_;
  int fd_;
  std::string name_;
  std::string buffer_;
};

} // namespace pagetide::tools

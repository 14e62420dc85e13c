//===- spooled_pipe.h - A pipe that can be read more than once ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"
#include "trace/byte_source.h"

#include <memory>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Copies what comes through a pipe to a temporary file without a name, as far
/// as its readers ask for it.
class SpooledPipe {
public:
  /// Does not close `pipe`. `name` is for messages. Throws Failure if there can
  /// be no temporary file.
  SpooledPipe(int pipe, std::string name);

  /// A reader of all that comes. It keeps `spool` alive.
  static std::unique_ptr<ByteSource>
  reader(const std::shared_ptr<SpooledPipe> &spool);

private:
  class Reader;
  /// Reads on until the file has bytes up to `end`, or the pipe has no more.
  void fill_up_to(std::uint64_t end);

  int pipe_;
  std::string name_;
  UniqueFd file_;
  std::uint64_t bytes_ = 0; ///< in the file
  bool ended_ = false;
  std::vector<std::uint8_t> buffer_;
};

} // namespace pagetide::tools

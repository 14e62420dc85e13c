//===- byte_source.h - Where the bytes of a trace come from ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PAGETIDE_TOOLS_TRACE_BYTE_SOURCE_H
#define PAGETIDE_TOOLS_TRACE_BYTE_SOURCE_H

#include "support/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pagetide::tools {

/// Where a trace's bytes come from.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Fills the buffer as far as there are bytes; fewer only at the end.
  /// Throws Failure where they cannot be read.
  virtual std::size_t read(void *buffer, std::size_t bytes) = 0;
};

class FileSource : public ByteSource {
public:
  /// Throws Failure where the file cannot be opened or is no regular file.
  explicit FileSource(const std::string &path);
  /// Reads from a descriptor's current offset and closes it at the end.
  FileSource(UniqueFd fd, std::string name);
  std::size_t read(void *buffer, std::size_t bytes) override;

private:
  UniqueFd fd_;
  std::string name_;
  std::vector<std::uint8_t> buffer_;
  std::size_t buffered_ = 0;
  std::size_t taken_ = 0;
};

class MemorySource : public ByteSource {
public:
  explicit MemorySource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t read(void *buffer, std::size_t bytes) override;

private:
  std::span<const std::uint8_t> bytes_;
};

} // namespace pagetide::tools

#endif // PAGETIDE_TOOLS_TRACE_BYTE_SOURCE_H

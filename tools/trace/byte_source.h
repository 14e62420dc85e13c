//===- byte_source.h - Where the bytes of a trace come from ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "support/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pagetide::tools {

/// Where a trace's bytes come from.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Fills the buffer with the bytes from `offset` on. Returns how many there
  /// are: fewer than asked only at the end. Throws Failure if they cannot be
  /// read.
  virtual std::size_t read_at(std::uint64_t offset, void *buffer,
                              std::size_t bytes) = 0;
  /// How many bytes there are by now. Throws Failure if that is not known.
  virtual std::uint64_t size() = 0;
};

class FileSource : public ByteSource {
public:
  /// Throws Failure if the file cannot be opened or is not a regular file.
  explicit FileSource(const std::string &path);
  /// Closes the descriptor at the end. `name` is for messages.
  FileSource(UniqueFd fd, std::string name);
  std::size_t read_at(std::uint64_t offset, void *buffer,
                      std::size_t bytes) override;
  std::uint64_t size() override;

private:
  std::size_t pread(std::uint64_t offset, void *buffer, std::size_t bytes);

  UniqueFd fd_;
  std::string name_;
  std::unique_ptr<std::uint8_t[]> window_; ///< read ahead, for small reads
  std::uint64_t window_offset_ = 0;
  std::size_t window_bytes_ = 0;
};

class MemorySource : public ByteSource {
public:
  explicit MemorySource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t read_at(std::uint64_t offset, void *buffer,
                      std::size_t bytes) override;
  std::uint64_t size() override { return bytes_.size(); }

private:
  std::span<const std::uint8_t> bytes_;
};

} // namespace pagetide::tools

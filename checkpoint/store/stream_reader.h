//===- stream_reader.h - The frames of a stream ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/stream_frames.h"
#include "store/file.h"

#include <cstdint>
#include <span>
#include <string>

namespace pagetide::checkpoint {

/// Reads a stream, and trusts none of its bytes. All functions throw Error:
/// kDamaged, kVersion, kIo.
class StreamReader {
public:
  /// Reads the head. `in` outlives it.
  explicit StreamReader(const File &in);
  StreamReader(const StreamReader &) = delete;

  struct Frame {
    FrameKind kind;
    std::span<const std::uint8_t> payload; ///< valid until the next call
  };
  /// The next frame, verified. Reads no byte that follows it.
  Frame next();

  const std::string &name() const { return in_.path(); }
  /// Read up to now.
  std::uint64_t bytes() const { return bytes_; }

private:
  void take(std::span<std::uint8_t> out);

  const File &in_;
  std::uint64_t last_hash_ = 0;
  std::uint64_t bytes_ = 0;
  Bytes payload_;
};

} // namespace pagetide::checkpoint

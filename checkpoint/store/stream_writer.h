//===- stream_writer.h - A checkpoint into a pipe, round by round ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "format/stream_frames.h"
#include "store/block_packer.h"
#include "store/file.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pagetide::checkpoint {

/// Writes a stream. What it writes has no end until end() is called, so a
/// reader takes nothing else for whole. All functions throw Error (kIo).
class StreamWriter {
public:
  /// `out` outlives it.
  StreamWriter(const File &out, int compression);
  StreamWriter(const StreamWriter &) = delete;

  /// Takes what the round holds, until end_round(). `head` lacks number, id and
  /// parent. The first round must have all bytes.
  BlockPacker &begin_round(Manifest head);
  void end_round();

  /// The last round was the checkpoint.
  void end(std::uint64_t pause_ns, RoundsEnd why);
  /// There is no checkpoint. Best effort.
  void give_up(const std::string &reason);

  std::uint64_t rounds() const { return rounds_; }
  /// Written up to now.
  std::uint64_t bytes() const { return bytes_; }

private:
  void put(FrameKind kind, std::span<const std::uint8_t> payload);
  void put_bytes(std::span<const std::uint8_t> bytes);
  void flush();

  const File &out_;
  int compression_;
  std::uint64_t last_hash_;
  Bytes waiting_; ///< not yet written
  std::uint64_t bytes_ = 0;
  std::uint64_t rounds_ = 0;
  Id last_id_ = {};
  std::optional<BlockPacker> round_;
};

} // namespace pagetide::checkpoint

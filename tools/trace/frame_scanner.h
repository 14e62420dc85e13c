//===- frame_scanner.h - Finds the frames in a trace's bytes --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frame is sound only if its magic, its sizes and its hash are right. If
// bytes are damaged, the scanner looks for the next sound frame. This work is
// bounded: somebody may make a file of nothing but frames with wrong hashes,
// each of which claims the same megabytes.

#pragma once

#include "trace/byte_source.h"

#include "pagetide/trace_format.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct ZSTD_DCtx_s;

namespace pagetide::tools {

class FrameScanner {
public:
  /// What begins at some offset of the file.
  enum class Place {
    kFrame,
    kEndOfFile,
    kCut,     ///< a frame that the file's end cuts off, by its header
    kDamaged, ///< no frame
  };

  explicit FrameScanner(std::unique_ptr<ByteSource> source);

  /// Looks at what begins at `offset`.
  Place look_at(std::uint64_t offset);
  /// Of the frame that look_at() found.
  const trace::FrameHeader &header() const { return header_; }
  /// Header and stored payload of that frame.
  std::uint64_t frame_bytes() const {
    return sizeof(header_) + header_.stored_bytes;
  }
  /// The payload of that frame, until the next call. Throws Malformed.
  std::span<const std::uint8_t> unpack();
  /// What is wrong with what look_at() found, if it is cut off or damaged.
  const std::string &reason() const { return reason_; }

  /// Where the next frame begins after the cut or damaged one at `offset`.
  /// Nothing if there is none, or if the search takes too long.
  std::optional<std::uint64_t> find_after(std::uint64_t offset);
  /// Whether the search ended because it took too long.
  bool gave_up() const { return gave_up_; }

  std::uint64_t file_bytes() { return source_->size(); }
  /// Bytes from the file's header. Returns how many there are.
  std::size_t read_at(std::uint64_t offset, void *buffer, std::size_t bytes) {
    return source_->read_at(offset, buffer, bytes);
  }

private:
  struct Decompressor {
    void operator()(ZSTD_DCtx_s *context) const;
  };
  std::size_t read_payload(const trace::FrameHeader &header,
                           std::uint64_t offset);
  bool has_right_hash(const trace::FrameHeader &header);
  bool is_frame(const trace::FrameHeader &header, std::uint64_t offset);
  bool may_hash_on(std::uint64_t offset) const;

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<ZSTD_DCtx_s, Decompressor> decompressor_;
  trace::FrameHeader header_ = {};
  std::string reason_;
  std::vector<std::uint8_t> stored_; ///< never shrinks; header_ has the size
  std::vector<std::uint8_t> raw_;    ///< likewise
  std::vector<std::uint8_t> window_; ///< of the search
  std::uint64_t wasted_bytes_ = 0;   ///< hashed, and the hash was wrong
  bool gave_up_ = false;
};

} // namespace pagetide::tools

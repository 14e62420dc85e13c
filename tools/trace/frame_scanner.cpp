//===- frame_scanner.cpp - Finds the frames in a trace's bytes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/frame_scanner.h"

#include "trace/frame_decoder.h"
#include "trace/hash.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <new>
#include <utility>

namespace pagetide::tools {

using trace::FrameHeader;

namespace {

constexpr std::size_t kWindowBytes = 64 * 1024;
/// How many bytes may be hashed in vain: damage costs a few frames' sizes, and
/// XXH3 takes milliseconds for the largest one.
constexpr std::uint64_t kMaxWastedBytes = 256u << 20;
/// More of them for each byte of the file, so that large files may have more
/// damage.
constexpr std::uint64_t kWastedPerByte = 8;

/// What no frame's header says. Empty if it may be one.
std::string impossibility(const FrameHeader &header) {
  if (header.magic != trace::kFrameMagic)
    return "no frame begins here";
  if (header.stored_bytes > trace::kMaxFrameBytes ||
      header.raw_bytes > trace::kMaxFrameBytes)
    return fmt::format("a frame of {} bytes ({} unpacked) exceeds the format's "
                       "bound of {}",
                       header.stored_bytes, header.raw_bytes,
                       trace::kMaxFrameBytes);
  if (header.flags & trace::kFrameRaw &&
      header.stored_bytes != header.raw_bytes)
    return "an uncompressed frame has two different sizes";
  return {};
}

/// At least so many bytes, whatever is in them.
std::uint8_t *room(std::vector<std::uint8_t> &buffer, std::size_t bytes) {
  if (buffer.size() < bytes)
    buffer.resize(bytes);
  return buffer.data();
}

} // namespace

void FrameScanner::Decompressor::operator()(ZSTD_DCtx_s *context) const {
  ZSTD_freeDCtx(context);
}

FrameScanner::FrameScanner(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), decompressor_(ZSTD_createDCtx()) {
  if (!decompressor_)
    throw std::bad_alloc();
}

/// Reads the payload behind this possible header. Returns how much of it the
/// file has.
std::size_t FrameScanner::read_payload(const FrameHeader &header,
                                       std::uint64_t offset) {
  return source_->read_at(offset + sizeof(header),
                          room(stored_, header.stored_bytes),
                          header.stored_bytes);
}

/// Whether the payload that was read is what its hash says.
bool FrameScanner::has_right_hash(const FrameHeader &header) {
  if (header.hash == frame_hash(header, stored_.data()))
    return true;
  wasted_bytes_ += sizeof(header) + header.stored_bytes;
  return false;
}

FrameScanner::Place FrameScanner::look_at(std::uint64_t offset) {
  reason_.clear();
  const std::size_t got = source_->read_at(offset, &header_, sizeof(header_));
  if (got == 0)
    return Place::kEndOfFile;
  if (got < sizeof(header_)) {
    reason_ = fmt::format("a frame's header is cut off after {} of its {} "
                          "bytes",
                          got, sizeof(header_));
    return Place::kCut;
  }
  reason_ = impossibility(header_);
  if (!reason_.empty())
    return Place::kDamaged;
  if (const std::size_t left = read_payload(header_, offset);
      left < header_.stored_bytes) {
    reason_ = fmt::format("a frame's payload is cut off after {} of its {} "
                          "bytes",
                          left, header_.stored_bytes);
    return Place::kCut;
  }
  if (!has_right_hash(header_)) {
    reason_ = "the frame's hash is wrong";
    return Place::kDamaged;
  }
  return Place::kFrame;
}

std::span<const std::uint8_t> FrameScanner::unpack() {
  const std::span<const std::uint8_t> stored(stored_.data(),
                                             header_.stored_bytes);
  if (header_.flags & trace::kFrameRaw)
    return stored;
  std::uint8_t *raw = room(raw_, header_.raw_bytes);
  const std::size_t size =
      ZSTD_decompressDCtx(decompressor_.get(), raw, header_.raw_bytes,
                          stored.data(), stored.size());
  if (ZSTD_isError(size))
    throw Malformed{fmt::format("the frame cannot be unpacked: {}",
                                ZSTD_getErrorName(size))};
  if (size != header_.raw_bytes)
    throw Malformed{fmt::format("the frame unpacks to {} bytes instead of {}",
                                size, header_.raw_bytes)};
  return {raw, size};
}

bool FrameScanner::is_frame(const FrameHeader &header, std::uint64_t offset) {
  const std::uint64_t end = offset + sizeof(header) + header.stored_bytes;
  return impossibility(header).empty() && end <= source_->size() &&
         read_payload(header, offset) == header.stored_bytes &&
         has_right_hash(header);
}

/// Whether the search, which is at `offset`, may hash more.
bool FrameScanner::may_hash_on(std::uint64_t offset) const {
  return wasted_bytes_ <= kMaxWastedBytes + kWastedPerByte * offset;
}

std::optional<std::uint64_t> FrameScanner::find_after(std::uint64_t offset) {
  FrameHeader header;
  const auto read_header = [&](std::uint64_t at) {
    return source_->read_at(at, &header, sizeof(header)) == sizeof(header);
  };
  // If only the payload is damaged, the header knows where the next frame is.
  // A payload may also hold what looks like one.
  if (read_header(offset) && impossibility(header).empty()) {
    const std::uint64_t behind = offset + sizeof(header) + header.stored_bytes;
    if (may_hash_on(offset) && read_header(behind) && is_frame(header, behind))
      return behind;
  }
  std::uint8_t *window = room(window_, kWindowBytes);
  for (std::uint64_t at = offset + 1;;) {
    const std::size_t got = source_->read_at(at, window, kWindowBytes);
    if (got < sizeof(header))
      return std::nullopt;
    // Headers begin before the last whole one in the window.
    const std::size_t begins = got - sizeof(header) + 1;
    for (std::size_t begin = 0; begin < begins; ++begin) {
      const void *found =
          ::memmem(window + begin, begins - begin + sizeof(header.magic) - 1,
                   &trace::kFrameMagic, sizeof(header.magic));
      if (!found)
        break;
      begin = static_cast<std::size_t>(
          static_cast<const std::uint8_t *>(found) - window);
      std::memcpy(&header, window + begin, sizeof(header));
      gave_up_ = !may_hash_on(at + begin);
      if (gave_up_)
        return std::nullopt;
      if (is_frame(header, at + begin))
        return at + begin;
    }
    at += begins;
  }
}

} // namespace pagetide::tools

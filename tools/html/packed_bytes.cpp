//===- packed_bytes.cpp - Bytes on their way into a document --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/packed_bytes.h"

#include "support/failure.h"

#include <zlib.h>

namespace pagetide::tools {

namespace {

constexpr int kRawWindow = -15; // no header and no checksum of zlib's
constexpr int kMemoryLevel = 8; // zlib's default

std::optional<std::vector<std::uint8_t>>
deflated(std::span<const std::uint8_t> bytes, std::size_t max_bytes,
         int strategy) {
  z_stream stream = {};
  int result = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                            kRawWindow, kMemoryLevel, strategy);
  if (result != Z_OK)
    throw Failure(
        "zlib cannot compress the data of the page: deflateInit2 returned {}",
        result);
  // zlib says that it is done only if room is left.
  std::vector<std::uint8_t> packed(
      1 +
      std::min<std::size_t>(deflateBound(&stream, bytes.size()), max_bytes));
  // zlib does not write to its input, but takes it as if it did.
  stream.next_in = const_cast<std::uint8_t *>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result == Z_OK || packed.size() > max_bytes)
    return std::nullopt;
  if (result != Z_STREAM_END)
    throw Failure(
        "zlib cannot compress the data of the page: deflate returned {}",
        result);
  return packed;
}

/// In noise, as many threads make it, there are no strings that repeat. zlib
/// takes most of its time to look for them, and what it finds makes the result
/// larger.
int strategy_for(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kSample = 32 << 10;
  constexpr std::size_t kOneOf = 16;
  std::size_t by_strings = 0;
  std::size_t by_runs = 0;
  for (std::size_t at = kSample; at + kSample <= bytes.size();
       at += kOneOf * kSample) {
    const auto sample = bytes.subspan(at, kSample);
    by_strings += deflated(sample, SIZE_MAX, Z_DEFAULT_STRATEGY)->size();
    by_runs += deflated(sample, SIZE_MAX, Z_RLE)->size();
  }
  // Samples have fewer strings than the whole.
  return by_runs < by_strings / 20 * 19 ? Z_RLE : Z_DEFAULT_STRATEGY;
}

} // namespace

void ByteColumns::varint(std::uint64_t number) {
  while (number >= 0x80) {
    bytes_.push_back(static_cast<std::uint8_t>(number | 0x80));
    number >>= 7;
  }
  bytes_.push_back(static_cast<std::uint8_t>(number));
}

void ByteColumns::fixed(std::uint64_t number) {
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes_.push_back(static_cast<std::uint8_t>(number >> shift));
}

std::vector<std::uint8_t> deflate_raw(std::span<const std::uint8_t> bytes) {
  return deflate_raw(bytes, SIZE_MAX).value();
}

std::optional<std::vector<std::uint8_t>>
deflate_raw(std::span<const std::uint8_t> bytes, std::size_t max_bytes) {
  return deflated(bytes, max_bytes, strategy_for(bytes));
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr const char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

} // namespace pagetide::tools

//===- stream_reader.cpp - The frames of a stream -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/stream_reader.h"

#include "format/error.h"
#include "format/hash.h"

#include <algorithm>

namespace pagetide::checkpoint {

namespace {

/// Memory is taken as bytes come, and not because a header promises them.
constexpr std::uint64_t kStepBytes = 1u << 20;

template <typename T> std::span<std::uint8_t> bytes_of(T &value) {
  return {reinterpret_cast<std::uint8_t *>(&value), sizeof(value)};
}

} // namespace

StreamReader::StreamReader(const File &in) : in_(in) {
  StreamHeader header = {};
  take(bytes_of(header));
  check(header, name());
  last_hash_ = header.hash;
}

StreamReader::Frame StreamReader::next() {
  FrameHeader header = {};
  take(bytes_of(header));
  check(header, last_hash_, name());
  last_hash_ = header.hash;
  payload_.clear();
  while (payload_.size() < header.bytes) {
    const std::size_t before = payload_.size();
    payload_.resize(before + std::min(kStepBytes, header.bytes - before));
    take(std::span(payload_).subspan(before));
  }
  if (hash_of(payload_.data(), payload_.size()) != header.payload_hash)
    throw Error(Problem::kDamaged,
                name() + ": is damaged: the frame that ends at byte " +
                    std::to_string(bytes_) + " is not as it was written");
  return {static_cast<FrameKind>(header.kind), payload_};
}

void StreamReader::take(std::span<std::uint8_t> out) {
  const std::size_t got = in_.read(out);
  bytes_ += got;
  if (got == out.size())
    return;
  if (bytes_ == 0)
    throw Error(Problem::kDamaged, name() + ": is empty");
  throw Error(Problem::kDamaged,
              name() + ": is cut off after " + std::to_string(bytes_) +
                  " bytes: the sender ended early, or the connection did");
}

} // namespace pagetide::checkpoint

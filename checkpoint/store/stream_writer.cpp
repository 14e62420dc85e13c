//===- stream_writer.cpp - A checkpoint into a pipe, round by round -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/stream_writer.h"

#include "format/error.h"
#include "store/checkpoint_writer.h"

#include <algorithm>
#include <utility>

namespace pagetide::checkpoint {

namespace {

constexpr std::size_t kPieceBytes = 256u << 10;

template <typename T> std::span<const std::uint8_t> bytes_of(const T &value) {
  return {reinterpret_cast<const std::uint8_t *>(&value), sizeof(value)};
}

} // namespace

StreamWriter::StreamWriter(const File &out, int compression)
    : out_(out), compression_(compression) {
  const StreamHeader header = stream_header(new_id());
  last_hash_ = header.hash;
  put_bytes(bytes_of(header));
}

BlockPacker &StreamWriter::begin_round(Manifest head) {
  head.number = rounds_ + 1;
  head.id = new_id();
  head.parent = rounds_;
  head.parent_id = last_id_;
  head.generation = 0;
  head.extents.clear();
  head.blocks.clear();
  return round_.emplace(std::move(head), compression_,
                        [this](std::span<const std::uint8_t> stored) {
                          put(FrameKind::kBlock, stored);
                        });
}

void StreamWriter::end_round() {
  round_->finish();
  last_id_ = round_->manifest().id;
  put(FrameKind::kRound, encode(round_->manifest()));
  round_.reset();
  ++rounds_;
  flush();
}

void StreamWriter::end(std::uint64_t pause_ns, RoundsEnd why) {
  const StreamEnd end = {rounds_, pause_ns, static_cast<std::uint64_t>(why)};
  put(FrameKind::kEnd, bytes_of(end));
  flush();
}

void StreamWriter::give_up(const std::string &reason) {
  const auto *text = reinterpret_cast<const std::uint8_t *>(reason.data());
  try {
    put(FrameKind::kGaveUp, {text, std::min(reason.size(), kMaxReasonBytes)});
    flush();
  } catch (const Error &) {
    return; // the reader finds no end, and that tells it enough
  }
}

void StreamWriter::put(FrameKind kind, std::span<const std::uint8_t> payload) {
  const FrameHeader header = frame_header(kind, payload, last_hash_);
  last_hash_ = header.hash;
  put_bytes(bytes_of(header));
  put_bytes(payload);
}

void StreamWriter::put_bytes(std::span<const std::uint8_t> bytes) {
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  bytes_ += bytes.size();
  if (waiting_.size() >= kPieceBytes)
    flush();
}

void StreamWriter::flush() {
  // If this fails, nothing of it is written a second time.
  const Bytes now = std::exchange(waiting_, {});
  out_.append(now);
}

} // namespace pagetide::checkpoint

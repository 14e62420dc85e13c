//===- sample_stream.h - Streams of known content -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "checkpoint/sample_folder.h"
#include "store/stream_writer.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace pagetide::checkpoint {

/// A file in memory.
inline File memory_file() {
  return File::of("the stream", ::memfd_create("stream", MFD_CLOEXEC));
}

inline File file_of(const Bytes &bytes) {
  File file = memory_file();
  file.append(bytes);
  ::lseek(file.fd(), 0, SEEK_SET);
  return file;
}

inline Bytes bytes_of(const File &file) {
  Bytes bytes(file.size());
  file.read_at(0, bytes);
  return bytes;
}

/// Writes rounds of what a program has in memory.
class SampleStream {
public:
  explicit SampleStream(int compression = 1)
      : file_(memory_file()), writer_(file_, compression) {}

  Memory memory;

  using Range = SampleFolder::Range;

  /// Sends these ranges; empty: all.
  void round(std::vector<Range> ranges = {}) {
    Manifest head;
    head.time_ns = 1;
    head.program = "sample";
    head.granule = 64;
    for (const auto &[id, bytes] : memory)
      head.regions.push_back({id, bytes.size()});
    if (ranges.empty())
      for (const auto &[id, bytes] : memory)
        ranges.push_back({id, 0, bytes.size()});
    BlockPacker &out = writer_.begin_round(head);
    for (const Range &range : ranges)
      out.add(*head.region_index(range.region), range.begin,
              std::span(memory[range.region])
                  .subspan(range.begin, range.end - range.begin));
    writer_.end_round();
  }

  StreamWriter &writer() { return writer_; }
  Bytes bytes() const { return bytes_of(file_); }

private:
  File file_;
  StreamWriter writer_;
};

/// A base, an increment with regions that grew, came and went, and the last.
inline Bytes sample_stream(Memory *last = nullptr, int compression = 1) {
  SampleStream stream(compression);
  Memory &memory = stream.memory;
  memory[1] = sample_bytes(700, 1);
  memory[2] = sample_bytes(100, 2);
  stream.round();
  memory[1].resize(900, 7);
  memory[1][3] ^= 1;
  memory.erase(2);
  memory[5] = sample_bytes(150, 3);
  stream.round({{1, 0, 64}, {1, 700, 900}, {5, 0, 150}});
  memory[1][64] ^= 1;
  stream.round({{1, 64, 128}});
  stream.writer().end(12345, RoundsEnd::kSmall);
  if (last)
    *last = memory;
  return stream.bytes();
}

/// Puts frames together whose hashes are right, whatever they say.
class ForgedStream {
public:
  ForgedStream() {
    const StreamHeader header = stream_header(Id());
    before_ = header.hash;
    add(&header, sizeof(header));
  }
  void frame(FrameKind kind, std::span<const std::uint8_t> payload) {
    const FrameHeader header = frame_header(kind, payload, before_);
    before_ = header.hash;
    add(&header, sizeof(header));
    add(payload.data(), payload.size());
  }
  void end(std::uint64_t rounds) {
    const StreamEnd end = {rounds, 0, 0};
    frame(FrameKind::kEnd,
          {reinterpret_cast<const std::uint8_t *>(&end), sizeof(end)});
  }
  void add(const void *data, std::size_t count) {
    const auto *begin = static_cast<const std::uint8_t *>(data);
    bytes.insert(bytes.end(), begin, begin + count);
  }

  Bytes bytes;

private:
  std::uint64_t before_;
};

} // namespace pagetide::checkpoint

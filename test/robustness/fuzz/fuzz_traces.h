//===- fuzz_traces.h - Traces out of fuzzed bytes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "export_testing.h"
#include "fuzz_input.h"
#include "trace/hash.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

#include <memory>
#include <string>
#include <string_view>

namespace pagetide::tools {

/// Frames of the input's payloads in a file with right hashes, because no
/// fuzzer guesses a hash. A payload of type 0 is put between them as it is.
inline Bytes with_right_hashes(Input &input) {
  trace::FileHeader header = {};
  header.layout = input.byte();
  const std::uint8_t shifts = input.byte();
  header.cell_shift = 6 + shifts % 16;
  header.granule_shift =
      static_cast<std::uint8_t>(header.cell_shift + shifts / 64);
  const std::uint8_t flags = input.byte();
  header.flags = (flags & 3) | (flags & 64 ? trace::kHeaderSites : 0) |
                 (flags & 128 ? trace::kHeaderRelativeHashes : 0);
  header.page_bytes = 4096;
  header.checksum_mode = static_cast<trace::ChecksumMode>(flags >> 2 & 3);
  header = finished_header(header);
  if (flags & 32) {
    header.version_minor = trace::kMinorWithCounts - 1;
    header.hash = header_hash(header);
  }
  MemorySink sink;
  TraceWriter writer(sink,
                     flags & 16 ? Compression::kZstd : Compression::kNone);
  sink.write({reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
  while (!input.empty()) {
    const std::uint8_t type = input.byte();
    const Bytes payload = input.bytes(input.number(2));
    if (type == 0)
      sink.write(payload); // damage
    else
      writer.frame(static_cast<trace::FrameType>(type), payload);
  }
  return sink.bytes();
}

/// The first byte chooses how the rest is taken:
///
///   even  as a trace file, byte for byte
///   odd   as the payloads of frames: { u8 type, u16 bytes, payload }*, after a
///         byte each for layout, cell and granule and for header flags
inline Bytes trace_of(Input &input) {
  if (input.byte() % 2 != 0)
    return with_right_hashes(input);
  return input.bytes(SIZE_MAX);
}

inline TraceReader reader_of(const Bytes &bytes) {
  return TraceReader(std::make_unique<MemorySource>(bytes), "input");
}

/// What an export of a trace writes, as far as one wants to wait for it: a run
/// of 2^40 granules is lawful.
struct ExportedText {
  std::string text;
  bool all = true;
};

inline ExportedText exported(const Bytes &bytes, const ExportRequest &request) {
  struct Enough {};
  class Sink : public TextSink {
  public:
    explicit Sink(std::string &text) : text_(text) {}
    void write(std::string_view more) override {
      text_ += more;
      if (text_.size() > 1 << 16)
        throw Enough(); // as a pipe's reader that goes away
    }

  private:
    std::string &text_;
  };
  ExportedText exported;
  Sink sink(exported.text);
  try {
    export_bytes(bytes, request, sink);
  } catch (const Enough &) {
    exported.all = false;
  }
  return exported;
}

} // namespace pagetide::tools

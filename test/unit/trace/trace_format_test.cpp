//===- trace_format_test.cpp - Varints, and the example in the document ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sample_traces.h"
#include "trace_testing.h"

#include "pagetide/trace_format.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace pagetide::tools {
namespace {

TEST(Varint, KeepsEveryLengthOfNumber) {
  for (unsigned bits = 0; bits <= 64; ++bits)
    for (const std::uint64_t delta : {0, 1}) {
      const std::uint64_t value =
          (bits == 64 ? 0 : std::uint64_t{1} << bits) - delta;
      std::uint8_t buffer[trace::kMaxVarintBytes];
      const std::uint8_t *end = trace::put_varint(buffer, value);
      std::uint64_t again = ~value;
      EXPECT_EQ(trace::get_varint(buffer, end, again), end);
      EXPECT_EQ(again, value);
      // Every shorter buffer is refused.
      for (const std::uint8_t *cut = buffer; cut != end; ++cut)
        EXPECT_EQ(trace::get_varint(buffer, cut, again), nullptr);
    }
}

TEST(Varint, RefusesMoreThan64Bits) {
  std::uint8_t buffer[11] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                             0xff, 0xff, 0xff, 0x01, 0x00};
  std::uint64_t value;
  EXPECT_EQ(trace::get_varint(buffer, buffer + 10, value), buffer + 10);
  EXPECT_EQ(value, UINT64_MAX);
  buffer[9] = 0x02; // bit 64
  EXPECT_EQ(trace::get_varint(buffer, buffer + 10, value), nullptr);
  buffer[9] = 0x81; // an eleventh byte
  EXPECT_EQ(trace::get_varint(buffer, buffer + 11, value), nullptr);
}

TEST(FrameSeed, DependsOnEveryFieldButTheHash) {
  trace::FrameHeader header = {
      trace::kFrameMagic, trace::FrameType::kNote, 1, 100, 200, 0};
  const std::uint64_t seed = trace::frame_seed(header);
  trace::FrameHeader other = header;
  other.type = trace::FrameType::kEnd;
  EXPECT_NE(trace::frame_seed(other), seed);
  other = header;
  other.flags = 0;
  EXPECT_NE(trace::frame_seed(other), seed);
  other = header;
  other.stored_bytes = 101;
  EXPECT_NE(trace::frame_seed(other), seed);
  other = header;
  other.raw_bytes = 201;
  EXPECT_NE(trace::frame_seed(other), seed);
}

/// The bytes in the document's lines of the form "| offset | hex | ...".
Bytes bytes_in_document() {
  std::ifstream file(PAGETIDE_SOURCE_ROOT "/docs/reference/trace-format.md");
  Bytes bytes;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line.find("<!-- tiny trace -->") != std::string::npos)
      inside = true;
    if (line.find("<!-- end of tiny trace -->") != std::string::npos)
      break;
    if (!inside || line.empty() || line[0] != '|')
      continue;
    std::istringstream cells(line.substr(1));
    std::string offset;
    std::string hex;
    std::getline(cells, offset, '|');
    std::getline(cells, hex, '|');
    std::istringstream digits(hex);
    std::string byte;
    while (digits >> byte)
      if (byte.size() == 2 && std::isxdigit(byte[0]) && std::isxdigit(byte[1]))
        bytes.push_back(
            static_cast<std::uint8_t>(std::stoul(byte, nullptr, 16)));
  }
  return bytes;
}

std::string hex_dump(const Bytes &bytes) {
  std::ostringstream out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char text[4];
    std::snprintf(text, sizeof(text), "%02x ", bytes[i]);
    out << text << (i % 16 == 15 ? "\n" : "");
  }
  return out.str();
}

TEST(TraceFormatDocument, ExampleIsWhatIsWritten) {
  EXPECT_EQ(hex_dump(bytes_in_document()), hex_dump(sample_trace("tiny")))
      << "docs/reference/trace-format.md, between <!-- tiny trace --> and its "
         "end, must hold the bytes of `make_trace tiny FILE`";
}

TEST(TraceFormatDocument, ExampleSaysWhatTheDocumentSays) {
  const Bytes bytes = bytes_in_document();
  const WholeTrace trace = read_all(bytes);
  EXPECT_EQ(trace.integrity, Integrity::kComplete);
  ASSERT_EQ(trace.frames.size(), 2u);
  const PeriodPart &period = trace.frames[0].period;
  EXPECT_EQ(period.index, 0u);
  EXPECT_EQ(period.start_ns, 1'000'000'000u);
  EXPECT_EQ(period.end_ns, 1'500'000'000u);
  EXPECT_EQ(period.overruns, 1u);
  ASSERT_EQ(period.sections.size(), 1u);
  EXPECT_EQ(text_of(period.runs), "1000+12c:1 10000+1:3");
  EXPECT_EQ(period.hashes.size(), 1u);
  EXPECT_EQ(period.stable, 1u);
  EXPECT_EQ(period.left_out, 0u);
  EXPECT_EQ(trace.frames[1].end.time_ns, 1'500'000'000u);
}

} // namespace
} // namespace pagetide::tools

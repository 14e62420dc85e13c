//===- trace_writer_test.cpp - Frames and parts as they are written -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_writer.h"

#include "sample_traces.h"
#include "support/failure.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pagetide::tools {
namespace {

trace::FrameHeader header_of(const Bytes &frame) {
  trace::FrameHeader header;
  std::memcpy(&header, frame.data(), sizeof(header));
  return header;
}

TEST(TraceWriter, StoresRawWhereCompressionDoesNotHelp) {
  const Bytes dull(1000, 7);
  const Bytes packed = make_frame(trace::FrameType::kNote, dull);
  EXPECT_EQ(header_of(packed).flags, 0);
  EXPECT_EQ(header_of(packed).raw_bytes, 1000u);
  EXPECT_LT(header_of(packed).stored_bytes, 100u);
  const Bytes short_one = {1, 2, 3};
  const Bytes raw = make_frame(trace::FrameType::kNote, short_one);
  EXPECT_EQ(header_of(raw).flags, trace::kFrameRaw);
  EXPECT_EQ(raw.size(), sizeof(trace::FrameHeader) + 3);
  const Bytes unpacked =
      make_frame(trace::FrameType::kNote, dull, Compression::kNone);
  EXPECT_EQ(header_of(unpacked).flags, trace::kFrameRaw);
  EXPECT_EQ(header_of(unpacked).stored_bytes, 1000u);
}

TEST(TraceWriter, WritesFramesWithoutContent) {
  const Bytes frame = make_frame(trace::FrameType::kNote, {});
  EXPECT_EQ(frame.size(), sizeof(trace::FrameHeader));
}

TEST(TraceWriter, RefusesFramesBeyondTheBound) {
  EXPECT_THROW(
      make_frame(trace::FrameType::kNote, Bytes(trace::kMaxFrameBytes + 1)),
      Failure);
}

/// A period of two threads and checksums, with runs long and short.
PeriodPart wide_period() {
  PeriodPart period = sample_period(0);
  std::vector<GranuleRun> even;
  std::vector<GranuleRun> odd;
  std::vector<GranuleRun> all;
  std::uint64_t granule = 100;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t count = 1 + i % 7 * (i % 7);
    (i % 3 != 0 ? even : odd).push_back({granule, count, 3});
    all.push_back({granule, count, 0});
    granule += count + i % 2;
  }
  // A run that has to be cut in the middle.
  even.push_back({std::uint64_t{1} << 30, 5000, 1});
  all.push_back({std::uint64_t{1} << 30, 5000, 0});
  period.add_section(1, odd);
  period.add_section(2, even);
  add_stable_checksums(period, 12, all);
  return period;
}

TEST(TraceWriter, PartsHoldTheWholePeriodInOrder) {
  PeriodPart period = wide_period();
  for (const std::uint64_t hash : period.hashes)
    period.relative_hashes.push_back(~hash);
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderPerThread | trace::kHeaderRelativeHashes;
  std::size_t most_parts = 0;
  for (const std::size_t part_bytes : {32, 100, 1000, 100000000}) {
    SCOPED_TRACE(part_bytes);
    MemorySink sink;
    TraceWriter writer(sink);
    writer.header(header);
    writer.write(period, part_bytes);
    // The reader refuses parts that overlap or are out of order.
    const WholeTrace trace = read_all(sink.bytes());
    ASSERT_EQ(trace.integrity, Integrity::kUnfinished) << trace.stop_reason;
    const auto periods = periods_of(trace);
    ASSERT_EQ(periods.size(), 1u);
    for (const PeriodPart::Section &section : period.sections) {
      const auto runs = period.runs_of(section);
      std::vector<GranuleRun> joined;
      for (const GranuleRun &run : runs)
        if (!joined.empty() && joined.back().end() == run.first)
          joined.back().count += run.count;
        else
          joined.push_back(run);
      EXPECT_EQ(text_of(periods.at(0).runs.at(section.tid)), text_of(joined));
    }
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint64_t> relative_hashes;
    std::size_t parts = 0;
    for (const Frame &frame : trace.frames) {
      ++parts;
      EXPECT_EQ(frame.period.last, parts == trace.frames.size());
      hashes.insert(hashes.end(), frame.period.hashes.begin(),
                    frame.period.hashes.end());
      relative_hashes.insert(relative_hashes.end(),
                             frame.period.relative_hashes.begin(),
                             frame.period.relative_hashes.end());
    }
    EXPECT_EQ(hashes, period.hashes);
    EXPECT_EQ(relative_hashes, period.relative_hashes);
    EXPECT_EQ(periods.at(0).last_part.combined, period.combined);
    EXPECT_EQ(periods.at(0).last_part.stable, period.stable);
    most_parts = std::max(most_parts, parts);
    if (part_bytes == 100000000) {
      EXPECT_EQ(parts, 1u);
    }
  }
  EXPECT_GT(most_parts, 100u);
}

TEST(TraceWriter, PartsAreNotMuchLargerThanAsked) {
  for (const Bytes &payload : encode_period(wide_period(), 1000))
    EXPECT_LE(payload.size(), 1100u);
}

TEST(TraceWriter, AnEmptyPeriodIsOnePart) {
  EXPECT_EQ(encode_period(sample_period(5)).size(), 1u);
}

TEST(FdSink, SaysWhatItCannotWrite) {
  FdSink sink(-1, "some file");
  try {
    sink.write(Bytes(1));
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(std::string(failure.what()),
              "some file: cannot be written: Bad file descriptor");
  }
}

} // namespace
} // namespace pagetide::tools

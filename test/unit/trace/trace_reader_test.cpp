//===- trace_reader_test.cpp - Whole, cut, damaged and impossible traces --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "trace/trace_reader.h"

#include "sample_traces.h"
#include "support/failure.h"
#include "trace/hash.h"
#include "trace_testing.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pagetide::tools {
namespace {

std::string failure_of(std::span<const std::uint8_t> bytes) {
  try {
    reader_of(bytes);
  } catch (const Failure &failure) {
    return failure.what();
  }
  return "no failure";
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Offsets of the frames of an undamaged trace, and its end.
std::vector<std::size_t> frame_offsets(const Bytes &bytes) {
  std::vector<std::size_t> offsets;
  std::size_t at = sizeof(trace::FileHeader);
  while (at < bytes.size()) {
    offsets.push_back(at);
    trace::FrameHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    at += sizeof(header) + header.stored_bytes;
  }
  offsets.push_back(at);
  return offsets;
}

/// Everything that the format promises of a part that was handed out.
void expect_possible(const PeriodPart &part, const Geometry &geometry) {
  EXPECT_LE(part.start_ns, part.end_ns);
  std::size_t runs = 0;
  std::int64_t tid = -1;
  for (const PeriodPart::Section &section : part.sections) {
    EXPECT_GT(std::int64_t{section.tid}, tid);
    tid = section.tid;
    EXPECT_EQ(section.first_run, runs);
    runs += section.run_count;
    std::uint64_t position = 0;
    for (const GranuleRun &run : part.runs_of(section)) {
      EXPECT_GE(run.first, position);
      EXPECT_GT(run.count, 0u);
      EXPECT_NE(run.flags, 0u);
      position = run.end();
    }
    EXPECT_LE(position, geometry.granule_limit());
  }
  EXPECT_EQ(runs, part.runs.size());
  std::uint64_t position = 0;
  std::uint64_t stable = 0;
  for (const ChecksumRun &run : part.checksum_runs) {
    EXPECT_GE(run.first, position);
    EXPECT_GT(run.count, 0u);
    position = run.end();
    stable += run.stable() ? run.count : 0;
  }
  EXPECT_LE(position, geometry.granule_limit());
  EXPECT_EQ(stable, part.hashes.size());
}

/// A trace of one frame with this payload, and the End frame.
Bytes trace_with(trace::FrameType type, const Bytes &payload,
                 trace::FileHeader header = sample_header()) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(header);
  writer.frame(type, payload);
  writer.write(End{});
  return sink.bytes();
}

std::string damage_of_period(const PeriodPart &period,
                             trace::FileHeader header = sample_header()) {
  const Bytes bytes =
      trace_with(trace::FrameType::kPeriod, encode(period), header);
  const WholeTrace trace = read_all(bytes);
  if (trace.integrity == Integrity::kDamaged) {
    EXPECT_EQ(trace.frames.size(), 1u); // the End frame
    return trace.stop_reason;
  }
  return "no damage";
}

TEST(TraceReader, ReadsBackWhatWasWritten) {
  const Bytes bytes = sample_trace("basic");
  const WholeTrace trace = read_all(bytes);
  EXPECT_EQ(trace.integrity, Integrity::kComplete);
  EXPECT_EQ(trace.stop_offset, bytes.size());
  ASSERT_EQ(trace.frames.size(), 8u);
  EXPECT_EQ(trace.frames[0].process.arguments,
            (std::vector<std::string>{"./sorter", "--input", "two words.txt"}));
  EXPECT_EQ(trace.frames[1].mappings.mappings[3].name, "[stack]");
  EXPECT_EQ(trace.frames[2].threads.records[0].tid, 4242u);
  const PeriodPart &period = trace.frames[4].period;
  EXPECT_EQ(period.index, 1u);
  EXPECT_EQ(period.overruns, 2u);
  EXPECT_EQ(text_of(period.runs),
            "555555554+3:1 555555600+2:3 555555602+3:2 7fffffffc+2:3");
  EXPECT_EQ(period.hashes.size(), 4u);
  EXPECT_EQ(period.left_out, 3u);
  EXPECT_EQ(trace.frames[5].period.flags, trace::kPeriodFinal);
  EXPECT_EQ(trace.frames[6].note.code, trace::NoteCode::kThreadsShared);
  EXPECT_EQ(trace.frames[7].end.time_ns, kSampleStartNs + 1'120'000'000);
}

TEST(TraceReader, EverySampleIsOfItsKind) {
  for (const SampleTrace &sample : sample_traces()) {
    SCOPED_TRACE(sample.name);
    const std::string name = sample.name;
    const Bytes bytes = sample.make();
    if (name == "damaged-header" || name == "other-version") {
      EXPECT_THROW(reader_of(bytes), Failure);
      continue;
    }
    const Integrity expected =
        name == "damaged" || name == "damaged-inside" ? Integrity::kDamaged
        : name == "cut"                               ? Integrity::kCut
        : name == "unfinished" || name == "header-only" ||
                name == "cut-parts" || name == "busy-child"
            ? Integrity::kUnfinished
            : Integrity::kComplete;
    const WholeTrace trace = read_all(bytes);
    EXPECT_EQ(trace.integrity, expected);
    for (const Frame &frame : trace.frames)
      if (frame.type == trace::FrameType::kPeriod)
        expect_possible(frame.period, reader_of(bytes).geometry());
  }
}

TEST(TraceReader, CutAtEveryByteLeavesTheFramesBefore) {
  for (const char *name : {"basic", "parts", "tiny"}) {
    const Bytes bytes = sample_trace(name);
    const WholeTrace whole = read_all(bytes);
    const std::vector<std::size_t> offsets = frame_offsets(bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      SCOPED_TRACE(testing::Message() << name << " cut to " << size);
      const Bytes cut(bytes.begin(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(size));
      if (size < sizeof(trace::FileHeader)) {
        EXPECT_THROW(reader_of(cut), Failure);
        continue;
      }
      const WholeTrace trace = read_all(cut);
      std::size_t frames = 0;
      while (offsets[frames + 1] <= size)
        ++frames;
      ASSERT_EQ(trace.frames.size(), frames);
      EXPECT_EQ(trace.stop_offset, offsets[frames]);
      EXPECT_EQ(trace.integrity, offsets[frames] == size
                                     ? Integrity::kUnfinished
                                     : Integrity::kCut);
      for (std::size_t i = 0; i < frames; ++i)
        EXPECT_EQ(encoded_again(trace.frames[i]),
                  encoded_again(whole.frames[i]));
    }
  }
}

TEST(TraceReader, WrongContentWithARightHashIsStillPossibleOrRefused) {
  for (const char *name : {"basic", "parts", "threads", "carried", "hostile"}) {
    const Bytes bytes = sample_trace(name);
    const Geometry geometry = reader_of(bytes).geometry();
    const trace::FileHeader header = reader_of(bytes).header();
    for (Frame frame : read_all(bytes).frames) {
      // It will stand alone.
      frame.period.first = true;
      frame.period.context = 0;
      const Bytes payload = encoded_again(frame);
      if (payload.size() > 1000)
        continue;
      for (std::size_t at = 0; at < payload.size(); ++at)
        for (const std::uint8_t flip : {0x01, 0x7f, 0x80, 0xff}) {
          Bytes wrong = payload;
          wrong[at] ^= flip;
          const Bytes other = trace_with(frame.type, wrong, header);
          for (const Frame &read : read_all(other).frames)
            if (read.type == trace::FrameType::kPeriod)
              expect_possible(read.period, geometry);
        }
      // Every shorter payload of the same frame is refused.
      for (std::size_t size = 0; size < payload.size(); ++size) {
        const Bytes shorter(payload.begin(),
                            payload.begin() +
                                static_cast<std::ptrdiff_t>(size));
        const Bytes other = trace_with(frame.type, shorter, header);
        EXPECT_EQ(read_all(other).integrity, Integrity::kDamaged)
            << name << " payload cut to " << size;
      }
      // So is a longer one, in this minor version.
      Bytes longer = payload;
      longer.push_back(0);
      EXPECT_EQ(read_all(trace_with(frame.type, longer, header)).integrity,
                Integrity::kDamaged);
    }
  }
}

TEST(TraceReader, RefusesOtherFiles) {
  EXPECT_TRUE(contains(failure_of({}), "the file is empty"));
  const Bytes text = {'h', 'e', 'l', 'l', 'o', ' ', 't', 'h', 'e', 'r', 'e'};
  EXPECT_TRUE(contains(failure_of(text), "byte 0: this is no Pagetide trace"));
}

TEST(TraceReader, NamesTheVersionItCannotRead) {
  const std::string failure = failure_of(sample_trace("other-version"));
  EXPECT_TRUE(contains(failure, "format version 2.10")) << failure;
  EXPECT_TRUE(contains(failure, "reads version 1")) << failure;
}

TEST(TraceReader, RefusesImpossibleHeaders) {
  const auto with = [](auto change) {
    trace::FileHeader header = sample_header();
    change(header);
    header.hash = header_hash(header);
    Bytes bytes(sizeof(header));
    std::memcpy(bytes.data(), &header, sizeof(header));
    return failure_of(bytes);
  };
  EXPECT_TRUE(contains(with([](auto &h) { h.layout = 3; }), "layout 3"));
  EXPECT_TRUE(contains(with([](auto &h) { h.granule_shift = 5; }), "2^5"));
  EXPECT_TRUE(contains(with([](auto &h) { h.granule_shift = 22; }), "2^22"));
  EXPECT_TRUE(contains(with([](auto &h) { h.cell_shift = 13; }), "2^13"));
  EXPECT_TRUE(contains(with([](auto &h) { h.header_bytes = 79; }), "79 bytes"));
  EXPECT_TRUE(
      contains(with([](auto &h) { h.header_bytes = 1 << 20; }), "1048576"));
  EXPECT_TRUE(contains(with([](auto &h) { h.header_bytes = 96; }), "cut off"));
}

TEST(TraceReader, ReadsALaterMinorVersion) {
  const Bytes bytes = sample_trace("later-minor");
  const WholeTrace trace = read_all(bytes);
  EXPECT_EQ(trace.integrity, Integrity::kComplete);
  ASSERT_EQ(trace.frames.size(), 2u);
  EXPECT_EQ(trace.frames[0].period.start_ns, kSampleStartNs);
}

TEST(TraceReader, SkipsUnknownFrames) {
  const WholeTrace trace = read_all(sample_trace("unknown-frame"));
  EXPECT_EQ(trace.integrity, Integrity::kComplete);
  ASSERT_EQ(trace.frames.size(), 3u);
  EXPECT_EQ(static_cast<int>(trace.frames[0].type), 77);
}

TEST(TraceReader, KnowsTheFormerNameOfEngineMarks) {
  const Process former = {"/bin/program", {"program"}, "", "shadow", "0.1.0"};
  const Bytes bytes = trace_with(trace::FrameType::kProcess, encode(former));
  const WholeTrace trace = read_all(bytes);
  ASSERT_EQ(trace.frames.size(), 2u);
  EXPECT_EQ(trace.frames[0].process.engine, "marks");
}

TEST(TraceReader, AnEndFrameBeforeOthersIsNoEnd) {
  Bytes bytes = sample_trace("failed-exec");
  EXPECT_EQ(read_all(bytes).integrity, Integrity::kComplete);
  bytes.resize(frame_offsets(bytes)[3]);
  EXPECT_EQ(read_all(bytes).integrity, Integrity::kUnfinished);
  bytes.resize(frame_offsets(bytes)[2]);
  EXPECT_EQ(read_all(bytes).integrity, Integrity::kComplete);
}

TEST(TraceReader, BoundsFrames) {
  for (const bool raw : {false, true}) {
    trace::FrameHeader header = {};
    header.magic = trace::kFrameMagic;
    header.type = trace::FrameType::kNote;
    (raw ? header.raw_bytes : header.stored_bytes) = trace::kMaxFrameBytes + 1;
    MemorySink sink;
    TraceWriter(sink).header(sample_header());
    sink.write(
        {reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
    const WholeTrace trace = read_all(sink.bytes());
    EXPECT_EQ(trace.integrity, Integrity::kDamaged);
    EXPECT_TRUE(contains(trace.stop_reason, "exceeds the format's bound"))
        << trace.stop_reason;
  }
}

TEST(TraceReader, RefusesPayloadsThatUnpackToAnotherSize) {
  const Bytes frame = make_frame(trace::FrameType::kNote, Bytes(1000, 'x'));
  for (const std::uint32_t size : {999u, 1001u}) {
    trace::FrameHeader header;
    std::memcpy(&header, frame.data(), sizeof(header));
    ASSERT_EQ(header.flags & trace::kFrameRaw, 0);
    header.raw_bytes = size;
    header.hash = frame_hash(header, frame.data() + sizeof(header));
    MemorySink sink;
    TraceWriter(sink).header(sample_header());
    sink.write(
        {reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
    sink.write(std::span(frame).subspan(sizeof(header)));
    EXPECT_EQ(read_all(sink.bytes()).integrity, Integrity::kDamaged);
  }
}

TEST(TraceReader, RunsStayInTheAddressSpace) {
  const std::uint64_t limit = std::uint64_t{1} << 35;
  PeriodPart period = sample_period(0);
  period.add_section(0, std::vector<GranuleRun>{{limit - 1, 1, 1}});
  EXPECT_EQ(damage_of_period(period), "no damage");
  period.runs[0] = {limit - 1, 2, 1};
  EXPECT_TRUE(contains(damage_of_period(period), "outside the address space"));
  period.runs[0] = {limit, 1, 1};
  EXPECT_TRUE(contains(damage_of_period(period), "outside the address space"));
  period.runs[0] = {0, limit, 1};
  EXPECT_EQ(damage_of_period(period), "no damage");
  period.runs[0] = {1, limit, 1};
  EXPECT_TRUE(contains(damage_of_period(period), "outside the address space"));
  // A gap that would wrap around.
  period.runs[0] = {UINT64_MAX - 5, 10, 1};
  EXPECT_TRUE(contains(damage_of_period(period), "outside the address space"));
}

TEST(TraceReader, SectionsRiseByThread) {
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderPerThread;
  header = finished_header(header);
  PeriodPart period = sample_period(0);
  period.add_section(7, std::vector<GranuleRun>{{1, 1, 1}});
  period.add_section(7, std::vector<GranuleRun>{{1, 1, 1}});
  EXPECT_TRUE(contains(damage_of_period(period, header), "out of order"));
  period.sections[1].tid = 6;
  EXPECT_TRUE(contains(damage_of_period(period, header), "out of order"));
  period.sections[1].tid = 8;
  EXPECT_EQ(damage_of_period(period, header), "no damage");
  EXPECT_TRUE(contains(damage_of_period(period), "not per thread"));
}

TEST(TraceReader, RunsSayWhatHappened) {
  PeriodPart period = sample_period(0);
  period.add_section(0, std::vector<GranuleRun>{{1, 1, 0}});
  EXPECT_TRUE(contains(damage_of_period(period), "says nothing"));
}

TEST(TraceReader, HashesMatchTheStableGranules) {
  PeriodPart period = sample_period(0);
  period.checksum_runs = {{5, 2, 1}};
  period.hashes = {1};
  // The combined checksum behind it is taken for the second hash; then the
  // rest is too short.
  EXPECT_NE(damage_of_period(period), "no damage");
  period.checksum_runs = {{5, (std::uint64_t{1} << 35) - 5, 1}};
  EXPECT_TRUE(
      contains(damage_of_period(period), "more stable granules than hashes"));
  period.checksum_runs = {{5, 1, 1}};
  EXPECT_EQ(damage_of_period(period), "no damage");
  period.checksum_runs = {{5, 1, 5}};
  EXPECT_TRUE(contains(damage_of_period(period), "checksum state 5"));
}

TEST(TraceReader, RelativeHashesAreAsManyAsHashes) {
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderRelativeHashes;
  header = finished_header(header);
  PeriodPart period = sample_period(0);
  period.checksum_runs = {{5, 2, 1}, {9, 4, 2}};
  period.hashes = {1, 2};
  const auto read = [&] {
    MemorySink sink;
    TraceWriter writer(sink);
    writer.header(header);
    writer.frame(trace::FrameType::kPeriod, encode(period));
    return read_all(sink.bytes());
  };
  EXPECT_TRUE(
      contains(read().stop_reason, "fewer relative hashes than hashes"));
  period.relative_hashes = {3};
  EXPECT_TRUE(
      contains(read().stop_reason, "fewer relative hashes than hashes"));
  period.relative_hashes = {3, 4};
  const WholeTrace whole = read();
  ASSERT_EQ(whole.frames.size(), 1u) << whole.stop_reason;
  EXPECT_EQ(whole.frames[0].period.hashes, period.hashes);
  EXPECT_EQ(whole.frames[0].period.relative_hashes, period.relative_hashes);
  // Without the flag they would be something behind the payload's end.
  header.flags = 0;
  header = finished_header(header);
  EXPECT_TRUE(read().frames.empty());
}

/// The frames of a trace made of these parts.
WholeTrace read_parts(const std::vector<PeriodPart> &parts) {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(sample_header());
  for (const PeriodPart &part : parts)
    writer.frame(trace::FrameType::kPeriod, encode(part));
  return read_all(sink.bytes());
}

TEST(TraceReader, PartsFollowEachOther) {
  PeriodPart first = sample_period(3);
  first.last = false;
  first.add_section(0, std::vector<GranuleRun>{{10, 5, 1}});
  PeriodPart second = sample_period(3);
  second.first = false;
  second.add_section(0, std::vector<GranuleRun>{{15, 1, 1}});
  EXPECT_EQ(read_parts({first, second}).frames.size(), 2u);
  EXPECT_EQ(read_parts({first, second, sample_period(4)}).frames.size(), 3u);

  PeriodPart overlapping = second;
  overlapping.runs[0].first = 14;
  EXPECT_TRUE(contains(read_parts({first, overlapping}).stop_reason,
                       "overlap or are out of order"));
  PeriodPart checksum_below = second;
  checksum_below.checksum_runs = {{3, 1, 2}};
  EXPECT_TRUE(contains(read_parts({first, checksum_below}).stop_reason,
                       "overlap or are out of order"));
  PeriodPart later = second;
  later.end_ns += 1;
  EXPECT_TRUE(contains(read_parts({first, later}).stop_reason, "times"));
  EXPECT_TRUE(contains(read_parts({first, sample_period(4)}).stop_reason,
                       "before the last part of period 3"));
  EXPECT_TRUE(contains(read_parts({first, second, second}).stop_reason,
                       "period 3 comes after period 3"));
  EXPECT_TRUE(contains(read_parts({first, first, second}).stop_reason,
                       "period 3 begins twice"));
  EXPECT_TRUE(contains(read_parts({second}).stop_reason,
                       "period 3 begins with a later part"));
  EXPECT_TRUE(
      contains(read_parts({first, second, sample_period(0)}).stop_reason,
               "period 0 comes after period 3"));
}

TEST(TraceReader, TellsWhichPeriodsAreWhole) {
  const Bytes bytes = sample_trace("cut-parts");
  TraceReader reader = reader_of(bytes);
  Frame frame;
  while (reader.next(frame)) {
  }
  EXPECT_EQ(reader.completeness().whole_periods(), 0u);
  EXPECT_EQ(reader.open_period(), std::optional<std::uint64_t>(0));
  EXPECT_EQ(reader.completeness().partial(), std::vector<std::uint64_t>{0});
  EXPECT_EQ(reader.completeness().sentence(),
            "truncated in period 0, at byte 607: period 0 lacks "
            "its last part");

  const Bytes cut = sample_trace("cut");
  TraceReader second = reader_of(cut);
  while (second.next(frame)) {
  }
  EXPECT_EQ(second.last_whole_period(), std::optional<std::uint64_t>(1));
  EXPECT_EQ(second.completeness().sentence(),
            "truncated after period 1, at byte 344: a frame's payload is cut "
            "off after 30 of its 35 bytes");
}

TEST(TraceReader, ACutComesBeforeItsPeriod) {
  const auto damage = [](const std::vector<Cut> &cuts, bool period_first) {
    MemorySink sink;
    TraceWriter writer(sink);
    writer.header(sample_header());
    if (period_first)
      writer.write(sample_period(0));
    for (const Cut &cut : cuts)
      writer.write(cut);
    if (!period_first)
      writer.write(sample_period(0));
    writer.write(End{});
    return read_all(sink.bytes()).stop_reason;
  };
  const Cut cut = {0, 5, 4, 3, 2, 1, ""};
  const Cut none = {0, 0, 0, 0, 0, 1, "threads share a shadow"};
  EXPECT_EQ(damage({cut}, false), "");
  EXPECT_EQ(damage({none}, false), "");
  EXPECT_TRUE(contains(damage({cut}, true), "does not come before it"));
  EXPECT_TRUE(contains(damage({cut, none}, false), "does not come before it"));
  EXPECT_TRUE(contains(damage({{0, 5, 4, 3, 2, 1, "both"}}, false), "both"));
  EXPECT_TRUE(contains(damage({{0, 0, 0, 0, 0, 0, ""}}, false), "neither"));
}

TEST(TraceReader, MappingsAreSortedAndDoNotWrap) {
  const auto damage = [](std::vector<Mapping> mappings) {
    return read_all(trace_with(trace::FrameType::kMappings,
                               encode(Mappings{0, std::move(mappings)})))
        .stop_reason;
  };
  EXPECT_EQ(damage({{0x1000, 0x1000, 3, 0, ""}, {0x2000, 0x1000, 3, 0, ""}}),
            "");
  EXPECT_TRUE(
      contains(damage({{0x1000, 0x1001, 3, 0, ""}, {0x2000, 0x1000, 3, 0, ""}}),
               "out of order"));
  EXPECT_TRUE(
      contains(damage({{UINT64_MAX - 5, 0x1000, 3, 0, ""}}), "wraps around"));
}

TEST(TraceReader, CountsBeyondThePayloadAreNoMemory) {
  // A varint count of 2^60 things in a payload of a few bytes.
  std::uint8_t buffer[trace::kMaxVarintBytes];
  const std::uint8_t *end = trace::put_varint(buffer, std::uint64_t{1} << 60);
  const Bytes count(buffer, const_cast<std::uint8_t *>(end));
  for (const trace::FrameType type :
       {trace::FrameType::kThreads, trace::FrameType::kMappings,
        trace::FrameType::kProcess, trace::FrameType::kPeriod,
        trace::FrameType::kNote}) {
    for (std::size_t zeros = 0; zeros < 12; ++zeros) {
      Bytes payload(zeros, 0);
      payload.insert(payload.end(), count.begin(), count.end());
      payload.resize(payload.size() + 3);
      EXPECT_TRUE(read_all(trace_with(type, payload)).frames.size() <= 2);
    }
  }
}

TEST(FileSource, NamesWhatItCannotOpen) {
  try {
    FileSource source("/nonexistent/file");
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_TRUE(contains(failure.what(), "/nonexistent/file"));
    EXPECT_TRUE(contains(failure.what(), "No such file"));
  }
  EXPECT_THROW(FileSource("/"), Failure);
  EXPECT_THROW(FileSource("/dev/null"), Failure);
}

TEST(FileSource, ReadsWhatMemoryReads) {
  ScratchDirectory scratch;
  const Bytes bytes = sample_trace("long");
  const WholeTrace from_file =
      read_all(TraceReader::open(scratch.write("long", bytes)));
  const WholeTrace from_memory = read_all(bytes);
  ASSERT_EQ(from_file.frames.size(), from_memory.frames.size());
  EXPECT_EQ(from_file.integrity, Integrity::kComplete);
  for (std::size_t i = 0; i < from_file.frames.size(); ++i)
    EXPECT_EQ(encoded_again(from_file.frames[i]),
              encoded_again(from_memory.frames[i]));
}

} // namespace
} // namespace pagetide::tools

//===- harvest_damage_test.cpp - Harvests of what is damaged or impossible ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harvest_testing.h"

#include "analysis/summary.h"
#include "trace/hash.h"

#include <signal.h>
#include <sys/resource.h>

#include <fmt/format.h>

#include <cstring>

namespace pagetide::tools {
namespace {

using shadow_file::ChunkKind;
using shadow_file::SlotState;

/// A trace of three periods, and a shadow with two more. The trace has a list
/// of mappings before period 0 and another before period 1.
struct DamagedTrace {
  Bytes bytes;
  std::vector<std::size_t> offsets; ///< of frames

  DamagedTrace() {
    MemorySink sink;
    TraceWriter writer(sink);
    const auto next = [&] { offsets.push_back(sink.bytes().size()); };
    writer.header(sample_header());
    for (std::uint64_t index = 0; index < 3; ++index) {
      if (index < 2) {
        next();
        writer.write(Mappings{
            0, {{kHeap, 0x100000, 3, 0, index == 0 ? "before" : "after"}}});
      }
      PeriodPart period = sample_period(index);
      period.add_section(0, std::vector<GranuleRun>{{kHeap >> 12, 1, 1}});
      next();
      writer.write(period);
    }
    next();
    writer.write(Note{0, 2, trace::NoteCode::kInfo, "a note"});
    bytes = sink.bytes();
  }
  void damage(std::size_t frame) { bytes[offsets[frame] + 30] ^= 1; }
};

/// The mappings that the periods of a trace lie in, and what the trace lacks.
std::string mappings_and_verdict(const std::string &path) {
  const Summary summary = summarize(TraceReader::open(path));
  std::string text;
  for (const MappingSummary &mapping : summary.mappings)
    text += fmt::format("{}={} ", mapping.name, mapping.counts.accessed);
  return text + summary.completeness.sentence().substr(0, 16);
}

TEST_F(HarvestTest, ContinuesATraceWithDamage) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = 3;
  shadow.header.open_period = 4;
  for (const std::uint64_t number : {3, 4}) {
    shadow.set_period(number);
    shadow.stage(number, 0, {shadow.word({kHeap}, {})});
  }
  // Frames: mappings, period 0, mappings, periods 1 and 2, a note.
  const char *const expected[] = {
      "after=4 [mappings lost]=1 damaged at byte ",
      "after=4 damaged at byte ",
      "[mappings lost]=4 before=1 damaged at byte ",
      "after=3 before=1 damaged at byte ",
      // The last frame stays, and it is not known what the damage was.
      "[mappings lost]=2 after=1 before=1 damaged at byte ",
      // A damaged end is cut off.
      "after=4 before=1 ",
  };
  for (std::size_t frame = 0; frame < std::size(expected); ++frame) {
    SCOPED_TRACE(testing::Message() << "frame " << frame);
    DamagedTrace trace;
    ASSERT_EQ(trace.offsets.size(), std::size(expected));
    trace.damage(frame);
    const HarvestResult result = run(trace.bytes, shadow);
    EXPECT_EQ(result.whole_periods, 1u);
    EXPECT_TRUE(result.partial_period);
    EXPECT_EQ(mappings_and_verdict(path_), expected[frame]);
    const WholeTrace after = read_all(TraceReader::open(path_));
    EXPECT_EQ(after.frames.back().end.periods, 5u);
    // Frames 1, 3 and 4 are those of periods.
    const bool lacks_one = frame == 1 || frame == 3 || frame == 4;
    EXPECT_EQ(after.completeness.missing_count(), lacks_one ? 1u : 0u);
    EXPECT_EQ(after.completeness.whole_periods(), lacks_one ? 4u : 5u);
  }
}

TEST_F(HarvestTest, RefusesATraceOfAnotherVersion) {
  Bytes trace = trace_of({0});
  trace::FileHeader header;
  std::memcpy(&header, trace.data(), sizeof(header));
  --header.version_minor;
  header.hash = header_hash(header);
  std::memcpy(trace.data(), &header, sizeof(header));
  ShadowFileMaker shadow;
  shadow.set_period(0);
  EXPECT_NE(
      failure(trace, shadow).find("use runtime and pagetide of one build"),
      std::string::npos);
}

TEST_F(HarvestTest, EveryLayoutAndGranule) {
  for (const abi::Layout layout :
       {abi::Layout::kRw, abi::Layout::kAccess, abi::Layout::kWrite})
    for (const unsigned granule_shift : {8u, 12u, 21u}) {
      SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout)
                                      << " granule " << granule_shift);
      const Geometry geometry = {layout, 8, granule_shift};
      trace::FileHeader header = sample_header();
      header.layout = static_cast<std::uint32_t>(layout);
      header.cell_shift = 8;
      header.granule_shift = static_cast<std::uint8_t>(granule_shift);
      ShadowFileMaker shadow(geometry);
      shadow.set_period(0);
      shadow.set_slot(1, SlotState::kLive, 60);
      constexpr std::uint64_t kTop = 0x7fffffffff00; // the last cell
      shadow.mark_written(1, kTop);
      shadow.mark_written(1, 0);
      run(trace_of({}, header), shadow);
      const unsigned flag = layout == abi::Layout::kAccess
                                ? unsigned{trace::kRunAccessed}
                                : unsigned{trace::kRunWritten};
      EXPECT_EQ(runs(0),
                text_of({{0, 1, flag}, {kTop >> granule_shift, 1, flag}}));
    }
}

TEST_F(HarvestTest, UnitsOfSeveralGranules) {
  for (const abi::Layout layout : {abi::Layout::kRw, abi::Layout::kWrite})
    for (const unsigned unit_shift : {7u, 9u, 12u, 21u}) {
      SCOPED_TRACE(testing::Message() << "layout " << static_cast<int>(layout)
                                      << " unit " << unit_shift);
      trace::FileHeader header = sample_header();
      header.layout = static_cast<std::uint32_t>(layout);
      header.cell_shift = header.granule_shift =
          static_cast<std::uint8_t>(unit_shift);
      ShadowFileMaker shadow({layout, 6, 6});
      shadow.header.unit_shift = unit_shift;
      shadow.save();
      shadow.set_period(0);
      shadow.set_slot(1, SlotState::kLive, 60);
      constexpr std::uint64_t kTop = 0x7fffffffffc0; // the last granule
      const std::uint64_t unit = std::uint64_t{1} << unit_shift;
      shadow.mark_written(1, kTop);
      shadow.mark_written(1, 5 * unit - 64); // the last one of unit 4
      shadow.mark_written(1, 6 * unit, abi::kCellMay);
      shadow.mark_written(1, 6 * unit + 64);
      shadow.mark_written(1, 8 * unit, abi::kCellMay);
      run(trace_of({}, header), shadow);
      EXPECT_EQ(runs(0),
                text_of({{4, 1, trace::kRunWritten},
                         {6, 1, trace::kRunWritten},
                         {8, 1, trace::kRunMayWritten},
                         {kTop >> unit_shift, 1, trace::kRunWritten}}));
    }
}

TEST_F(HarvestTest, ManyPagesMakeManyParts) {
  ShadowFileMaker shadow({abi::Layout::kWrite, 6, 6});
  trace::FileHeader header = sample_header();
  header.layout = static_cast<std::uint32_t>(abi::Layout::kWrite);
  header.cell_shift = header.granule_shift = 6;
  shadow.set_period(0);
  shadow.set_slot(1, SlotState::kLive, 60);
  // Every second cell of 8 Mi: four million runs.
  const std::vector<std::uint64_t> words(1 << 20, 0x0001000100010001);
  shadow.write(words.data(), words.size() * 8,
               shadow.header.slots_offset + shadow.header.slot_bytes + 4096);
  const HarvestResult result = run(trace_of({}, header), shadow);
  EXPECT_EQ(result.partial_granules, 4u << 20);
  const WholeTrace trace = harvested();
  EXPECT_GT(trace.frames.size(), 3u);
  EXPECT_EQ(periods_of(trace).at(0).runs.at(0).size(), 4u << 20);
}

TEST_F(HarvestTest, WithoutAHeaderThereIsNothingToComplete) {
  const ShadowFileMaker shadow;
  EXPECT_NE(failure({}, shadow).find("the file is empty"), std::string::npos);
  Bytes cut = trace_of({});
  cut.resize(50);
  EXPECT_NE(failure(cut, shadow).find("header is cut off"), std::string::npos);
}

TEST_F(HarvestTest, RefusesShadowsThatAreNotPossible) {
  const Bytes trace = trace_of({0});
  const auto with = [&](auto change) {
    ShadowFileMaker shadow;
    shadow.header.periods_written = shadow.header.open_period = 1;
    shadow.set_period(1);
    change(shadow.header);
    shadow.save();
    return failure(trace, shadow);
  };
  using Header = shadow_file::ShadowHeader;
  const auto expect = [](const std::string &failure, const char *part) {
    EXPECT_NE(failure.find(part), std::string::npos) << failure;
  };
  expect(with([](Header &h) { h.magic = 1; }), "does not begin");
  expect(with([](Header &h) { h.version = 9; }), "version 9");
  expect(with([](Header &h) { h.layout = 3; }), "layout 3");
  expect(with([](Header &h) { h.cell_shift = 5; }), "2^5");
  expect(with([](Header &h) { h.cell_shift = 13; }), "2^13");
  expect(with([](Header &h) { h.granule_shift = 22; }), "2^22");
  expect(with([](Header &h) { h.granule_shift = 13; }), "2^13");
  expect(with([](Header &h) { h.unit_shift = 11; }), "2^11");
  expect(with([](Header &h) { h.unit_shift = 22; }), "2^22");
  expect(with([](Header &h) { h.unit_shift = 13; }), "does not belong");
  expect(with([](Header &h) { h.pid = 4243; }), "process 4243");
  expect(with([](Header &h) { h.slot_table_offset = 8; }), "slot table");
  expect(with([](Header &h) { h.slot_table_offset = UINT64_MAX - 8; }),
         "slot table");
  expect(with([](Header &h) { h.chunks_offset = UINT64_MAX; }), "staging area");
  expect(with([](Header &h) { h.chunk_count = UINT64_MAX / 8; }),
         "staging area");
  expect(with([](Header &h) { h.slots_offset = UINT64_MAX - 8; }), "slots");
  expect(with([](Header &h) { h.slot_bytes = 0; }), "slots");
  expect(with([](Header &h) { h.slot_bytes = 13; }), "slots");
  expect(with([](Header &h) { h.chunk_tail = 1; }), "staging counters");
  expect(with([](Header &h) { h.chunk_head = 9; }), "staging counters");
  expect(with([](Header &h) { h.chunk_base = 1; }), "staging counters");
  expect(with([](Header &h) { h.periods_written = 2; }), "period counters");
  expect(with([](Header &h) { h.open_period = 2 + kMaxPendingPeriods; }),
         "period counters");
}

TEST_F(HarvestTest, RefusesAShortenedShadow) {
  const ShadowFileMaker shadow;
  for (const off_t size : {0, 100, 8192, 100000}) {
    ASSERT_EQ(::ftruncate(shadow.fd(), size), 0);
    EXPECT_NE(failure(trace_of({}), shadow), "no failure") << size;
  }
}

TEST_F(HarvestTest, MadChunksAreReadWithinTheirBounds) {
  ShadowFileMaker shadow;
  shadow.set_period(0);
  shadow.stage(0, 0, {shadow.word({0x1000}, {}), {UINT64_MAX, UINT64_MAX}});
  const std::uint32_t mad_count = UINT32_MAX;
  shadow.write(&mad_count, 4, shadow.header.chunks_offset + 16);
  run(trace_of({}), shadow);
  EXPECT_EQ(runs(0), "1+1:1");
}

TEST_F(HarvestTest, AnEndlessEmptyRingIsSkipped) {
  ShadowFileMaker shadow;
  // A petabyte of chunks that no one ever wrote.
  constexpr std::uint64_t kChunks = std::uint64_t{1} << 34;
  ASSERT_EQ(::ftruncate(shadow.fd(),
                        static_cast<off_t>(shadow.header.chunks_offset +
                                           kChunks * shadow_file::kChunkBytes)),
            0);
  shadow.header.chunk_count = kChunks;
  shadow.header.chunk_head = kChunks;
  shadow.header.slots_offset =
      shadow.header.chunks_offset + kChunks * shadow_file::kChunkBytes;
  shadow.set_period(0);
  run(trace_of({}), shadow);
  EXPECT_EQ(runs(0), "");
}

TEST_F(HarvestTest, AFullDiskLeavesWholeFrames) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = 1;
  shadow.header.open_period = 2;
  shadow.set_period(1);
  shadow.set_period(2);
  shadow.stage(1, 0, {shadow.word({0x1000}, {})});
  const Bytes trace = trace_of({0});
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit saved;
  ::getrlimit(RLIMIT_FSIZE, &saved);
  std::string problem;
  try {
    const rlimit limit = {trace.size() + 70, saved.rlim_max};
    path_ = scratch_.write("trace", trace);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const UniqueFd fd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    HarvestRequest request;
    request.memfd = shadow.fd();
    request.trace_fd = fd.get();
    request.trace_name = path_;
    harvest(request);
  } catch (const Failure &failure) {
    problem = failure.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &saved);
  EXPECT_NE(
      problem.find("cannot be written: File too large; the trace lacks the "
                   "last periods of the process, and ends before them"),
      std::string::npos)
      << problem;
  const WholeTrace after = read_all(TraceReader::open(path_));
  EXPECT_EQ(after.integrity, Integrity::kUnfinished);
  EXPECT_EQ(periods_of(after).size(), 2u);
}

} // namespace
} // namespace pagetide::tools

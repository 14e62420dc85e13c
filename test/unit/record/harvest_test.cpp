//===- harvest_test.cpp - What a dead process left reaches its trace ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harvest_testing.h"

#include "trace/hash.h"

#include <fmt/format.h>

namespace pagetide::tools {
namespace {

using shadow_file::ChunkKind;
using shadow_file::kMaxPendingPeriods;
using shadow_file::SlotState;

TEST_F(HarvestTest, AddsStagedPeriodsAndTheOpenOne) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = 2;
  shadow.header.open_period = 4;
  shadow.set_period(2);
  shadow.set_period(3, trace::kPeriodDriven);
  shadow.set_period(4);
  shadow.period(3).overruns = 7;
  shadow.stage(2, 4242, {shadow.word({kHeap}, {})});
  shadow.stage(3, 4242, {shadow.word({}, {kHeap + 0x1000})});
  shadow.stage(4, 4242, {shadow.word({}, {kHeap + 0x2000})});
  shadow.set_slot(1, SlotState::kLive, 4242);
  shadow.mark_read(1, kHeap + 0x3000);

  const HarvestResult result = run(trace_of({0, 1}), shadow);
  EXPECT_FALSE(result.was_complete);
  EXPECT_EQ(result.cut_bytes, 0u);
  EXPECT_EQ(result.whole_periods, 2u);
  EXPECT_TRUE(result.partial_period);
  EXPECT_EQ(result.partial_granules, 2u);

  const auto all = periods();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(runs(0), "100+1:1");
  EXPECT_EQ(runs(1), "101+1:1");
  EXPECT_EQ(runs(2), "555555600+1:1");
  EXPECT_EQ(runs(3), "555555601+1:2");
  EXPECT_EQ(runs(4), "555555602+1:2 555555603+1:1");
  EXPECT_EQ(all.at(2).last_part.flags, trace::kPeriodHarvested);
  EXPECT_EQ(all.at(3).last_part.flags,
            trace::kPeriodHarvested | trace::kPeriodDriven);
  EXPECT_EQ(all.at(3).last_part.overruns, 7u);
  EXPECT_EQ(all.at(3).last_part.start_ns, sample_period(3).start_ns);
  EXPECT_EQ(all.at(3).last_part.end_ns, sample_period(3).end_ns);
  EXPECT_EQ(all.at(4).last_part.flags, trace::kPeriodPartial);
  EXPECT_EQ(all.at(4).last_part.start_ns, sample_period(4).start_ns);
  EXPECT_EQ(all.at(4).last_part.end_ns, kDeath);
  // Checksums were on, and the harvester takes none.
  EXPECT_EQ(all.at(4).last_part.stable, 0u);
  EXPECT_EQ(all.at(4).last_part.left_out, 1u);
}

/// The sites of a staged period, and those that are still in a shadow. The
/// trace has the first period's sites already, but not the period itself.
TEST_F(HarvestTest, AddsSitesByThread) {
  ShadowFileMaker shadow;
  shadow.header.with_sites = 1;
  shadow.header.slot_bytes = abi::shadow_bytes(abi::Layout::kRwSite, 12);
  shadow.header.periods_written = 0;
  shadow.header.open_period = 1;
  shadow.set_period(0);
  shadow.set_period(1);
  const std::uint64_t page = kHeap >> 12;
  const auto both = [](std::uint64_t read, std::uint64_t write) {
    return write << 32 | read;
  };
  shadow.stage(0, 0, {shadow.word({kHeap, kHeap + 0x1000}, {kHeap})});
  shadow.stage(0, 4242, {{page, both(5, 6)}, {page + 1, both(5, 0)}},
               shadow_file::ChunkKind::kSites);
  shadow.set_slot(1, SlotState::kLive, 4242);
  const std::uint32_t site = 9;
  shadow.write(&site, sizeof(site),
               shadow.header.slots_offset + shadow.header.slot_bytes +
                   (page + 7) * 8 + 4);

  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderSites;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(header);
  PeriodSites known;
  known.index = 0;
  known.add_section(4242, std::vector<SiteRun>{{page, 1, 5, 6}});
  writer.write(known);
  const HarvestResult result = run(sink.bytes(), shadow);
  EXPECT_EQ(result.whole_periods, 1u);
  EXPECT_EQ(result.partial_granules, 1u);
  EXPECT_EQ(runs(0), "555555600+1:3 555555601+1:1");
  EXPECT_EQ(runs(1), "555555607+1:2");

  std::map<std::uint64_t, std::vector<SiteRun>> rows;
  for (const Frame &frame : harvested().frames)
    if (frame.type == trace::FrameType::kPeriodSites) {
      ASSERT_EQ(frame.period_sites.sections.size(), 1u);
      EXPECT_EQ(frame.period_sites.sections[0].tid, 4242u);
      rows[frame.period_sites.index] = frame.period_sites.runs;
    }
  EXPECT_EQ(rows[0],
            (std::vector<SiteRun>{{page, 1, 5, 6}, {page + 1, 1, 5, 0}}));
  EXPECT_EQ(rows[1], (std::vector<SiteRun>{{page + 7, 1, 0, 9}}));
}

TEST_F(HarvestTest, LeavesACompleteTraceAlone) {
  const Bytes trace = sample_trace("basic");
  const ShadowFileMaker shadow;
  EXPECT_TRUE(run(trace, shadow).was_complete);
  EXPECT_EQ(bytes_of_file(path_), trace);
}

TEST_F(HarvestTest, GoesOnAfterAnEndThatWasNone) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = shadow.header.open_period = 2;
  shadow.set_period(2);
  Bytes trace = sample_trace("failed-exec");
  trace.resize(trace.size() - 31); // the last End frame
  EXPECT_FALSE(run(trace, shadow).was_complete);
  EXPECT_EQ(periods().size(), 3u);
}

TEST_F(HarvestTest, ATraceCutAnywhereComesOutTheSame) {
  // Three periods, one of them in several parts with other frames between,
  // all of them still staged.
  constexpr std::uint64_t kPages = 40;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(per_thread_header());
  writer.write(Process{"prog", {"prog"}, "", "", ""});
  ShadowFileMaker shadow({}, true, 4);
  shadow.header.open_period = 3;
  shadow.set_slot(1, SlotState::kLive, 77);
  shadow.mark_written(1, 0x7000);
  for (std::uint64_t index = 0; index < 3; ++index) {
    shadow.set_period(index);
    PeriodPart period = sample_period(index);
    std::vector<GranuleRun> runs;
    std::vector<shadow_file::StagedWord> words;
    for (std::uint64_t page = 0; page < kPages; ++page) {
      const std::uint64_t granule = index + 10 + page * 4;
      runs.push_back({granule, 1, 3});
      words.push_back(shadow.word({granule << 12}, {granule << 12}));
    }
    period.add_section(77, runs);
    shadow.stage(index, 77, words);
    const std::vector<Bytes> parts =
        encode_period(period, index == 1 ? 40 : 4000);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      writer.frame(trace::FrameType::kPeriod, parts[i]);
      if (index == 1 && i == 0)
        writer.write(Note{1, 1, trace::NoteCode::kInfo, "between"});
    }
  }
  shadow.set_period(3);
  const Bytes whole = sink.bytes();
  std::size_t notes_kept = 0;
  for (std::size_t size = sizeof(trace::FileHeader); size <= whole.size();
       ++size) {
    SCOPED_TRACE(size);
    run({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)},
        shadow);
    const WholeTrace trace = harvested();
    for (const Frame &frame : trace.frames)
      notes_kept += frame.type == trace::FrameType::kNote;
    const auto all = periods_of(trace);
    ASSERT_EQ(all.size(), 4u);
    for (std::uint64_t index = 0; index < 3; ++index) {
      std::vector<GranuleRun> expected;
      for (std::uint64_t page = 0; page < kPages; ++page)
        expected.push_back({index + 10 + page * 4, 1, 3});
      ASSERT_EQ(all.at(index).runs.at(77), expected);
    }
    ASSERT_EQ(text_of(all.at(3).runs.at(77)), "7+1:2");
  }
  EXPECT_GT(notes_kept, 0u);
}

TEST_F(HarvestTest, KeepsOtherFramesOfAnUnfinishedPeriod) {
  ShadowFileMaker shadow({}, true);
  shadow.set_period(0);
  shadow.header.open_period = 1;
  shadow.set_period(0);
  shadow.set_period(1);
  shadow.save();
  const Bytes cut = sample_trace("cut-parts");
  const HarvestResult result = run(cut, shadow);
  EXPECT_EQ(result.cut_bytes, 410u) << "two parts of period 0";
  const WholeTrace trace = harvested();
  std::vector<trace::FrameType> types;
  for (const Frame &frame : trace.frames)
    types.push_back(frame.type);
  EXPECT_EQ(types, (std::vector<trace::FrameType>{
                       trace::FrameType::kMappings, trace::FrameType::kPeriod,
                       trace::FrameType::kPeriod, trace::FrameType::kEnd}));
}

TEST_F(HarvestTest, TakesOffATornEnd) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = shadow.header.open_period = 2;
  shadow.set_period(2);
  Bytes torn = trace_of({0, 1});
  const Bytes frame = make_frame(trace::FrameType::kNote, Bytes(500, 1));
  torn.insert(torn.end(), frame.begin(), frame.end() - 3);
  EXPECT_EQ(run(torn, shadow).cut_bytes, frame.size() - 3);
  EXPECT_EQ(periods().size(), 3u);
}

TEST_F(HarvestTest, StagedWordsAndShadowsAreOneSet) {
  ShadowFileMaker shadow({}, true);
  shadow.set_period(0);
  // The recorder had staged the word and died before it cleared it; the thread
  // has marked on since; a second chunk repeats it.
  shadow.stage(0, 50, {shadow.word({kHeap}, {})});
  shadow.stage(0, 50, {shadow.word({kHeap, kHeap + 0x1000}, {})});
  shadow.set_slot(1, SlotState::kLive, 50);
  shadow.mark_read(1, kHeap);
  shadow.mark_written(1, kHeap);
  // A possible write elsewhere is a certain one here.
  shadow.stage(0, 50, {shadow.word({}, {kHeap + 0x3000}, abi::kCellMay)});
  shadow.mark_written(1, kHeap + 0x3000);
  shadow.mark_written(1, kHeap + 0x2000, abi::kCellMay);
  run(trace_of({}, per_thread_header()), shadow);
  EXPECT_EQ(runs(0, 50), "555555600+1:3 555555601+1:1 555555602+1:20 "
                         "555555603+1:2");
}

TEST_F(HarvestTest, RetiredAndFallbackSlotsCount) {
  ShadowFileMaker shadow({}, true);
  shadow.set_period(0);
  shadow.set_slot(1, SlotState::kRetired, 60);
  shadow.set_slot(2, SlotState::kLive, 61);
  shadow.mark_read(0, kHeap); // the fallback slot
  shadow.mark_written(1, kHeap + 0x1000);
  shadow.mark_written(2, kHeap + 0x2000);
  // A slot with an entry that is not yet filled in, or is cleared again.
  shadow.mark_read(5, kHeap + 0x5000);
  run(trace_of({}, per_thread_header()), shadow);
  EXPECT_EQ(runs(0, 0), "555555600+1:1 555555605+1:1");
  EXPECT_EQ(runs(0, 60), "555555601+1:2");
  EXPECT_EQ(runs(0, 61), "555555602+1:2");
}

TEST_F(HarvestTest, PerProcessIsTheUnionUnderNoThread) {
  ShadowFileMaker shadow;
  shadow.set_period(0);
  shadow.set_slot(1, SlotState::kLive, 60);
  shadow.set_slot(2, SlotState::kLive, 61);
  shadow.mark_read(1, kHeap);
  shadow.mark_written(2, kHeap);
  shadow.stage(0, 61, {shadow.word({kHeap + 0x1000}, {})});
  run(trace_of({}), shadow);
  const auto all = periods();
  EXPECT_EQ(all.at(0).runs.size(), 1u);
  EXPECT_EQ(runs(0), "555555600+1:3 555555601+1:1");
}

TEST_F(HarvestTest, CarriedWordsStayCarried) {
  ShadowFileMaker shadow;
  shadow.set_period(0);
  shadow.stage(0, 0, {shadow.word({}, {kHeap, kHeap + 0x1000})},
               ChunkKind::kCarried);
  shadow.set_slot(1, SlotState::kLive, 60);
  shadow.mark_written(1, kHeap);
  run(trace_of({}), shadow);
  EXPECT_EQ(runs(0), "555555600+1:2 555555601+1:8");
}

TEST_F(HarvestTest, WhatASystemCallWasWritingMayBeWritten) {
  ShadowFileMaker shadow;
  shadow.set_period(0);
  shadow.set_slot(1, SlotState::kLive, 60);
  shadow.set_inflight(1, kHeap + 0xff0, 0x20);
  shadow.set_inflight(1, kHeap + 0x4000, 40,
                      shadow_file::InFlightKind::kObject);
  shadow.set_inflight(1, kHeap + 0x6000, 48,
                      shadow_file::InFlightKind::kCondition);
  shadow.set_slot(2, SlotState::kRetired, 61);
  shadow.set_inflight(2, 0x1000,
                      0x1000); // a thread that is gone writes nothing
  run(trace_of({}), shadow);
  EXPECT_EQ(runs(0), "555555600+2:20 555555604+1:20 555555606+1:20");
}

TEST_F(HarvestTest, TheRingWrapsAround) {
  ShadowFileMaker shadow({}, false, 4);
  // Chunks 3, 4 and 5 of a ring of four that began at chunk 0.
  shadow.header.chunk_head = shadow.header.chunk_tail = 3;
  shadow.header.periods_written = shadow.header.open_period = 0;
  shadow.set_period(0);
  for (const std::uint64_t page : {1, 2, 3})
    shadow.stage(0, 0, {shadow.word({page * 0x1000}, {})});
  // The one before them is of a period long written.
  run(trace_of({}), shadow);
  EXPECT_EQ(runs(0), "1+3:1");
}

TEST_F(HarvestTest, TheRingMayBeginAnew) {
  ShadowFileMaker shadow({}, false, 4);
  shadow.header.chunk_base = shadow.header.chunk_head =
      shadow.header.chunk_tail = 1000001;
  shadow.set_period(0);
  for (const std::uint64_t page : {1, 2, 3, 4})
    shadow.stage(0, 0, {shadow.word({page * 0x1000}, {})});
  run(trace_of({}), shadow);
  EXPECT_EQ(runs(0), "1+4:1");
}

TEST_F(HarvestTest, ReleasedChunksAreNotReadAgain) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = shadow.header.open_period = 1;
  shadow.set_period(1);
  shadow.stage(1, 0, {shadow.word({0x1000}, {})});
  shadow.stage(1, 0, {shadow.word({0x2000}, {})});
  shadow.header.chunk_tail = 1; // contradicts the period, but is the law
  shadow.save();
  run(trace_of({0}), shadow);
  EXPECT_EQ(runs(1), "2+1:1");
}

TEST_F(HarvestTest, PeriodsTheTraceAlreadyHasAreNotRepeated) {
  // The process died between writing period 1 and saying so.
  ShadowFileMaker shadow;
  shadow.header.periods_written = 1;
  shadow.header.open_period = 2;
  shadow.set_period(1);
  shadow.set_period(2);
  shadow.stage(1, 0, {shadow.word({0x9000}, {})});
  const HarvestResult result = run(trace_of({0, 1}), shadow);
  EXPECT_EQ(result.whole_periods, 0u);
  EXPECT_EQ(runs(1), "101+1:1");
  EXPECT_EQ(periods().size(), 3u);
}

TEST_F(HarvestTest, SaysWhichPeriodsAreMissing) {
  ShadowFileMaker shadow;
  shadow.header.periods_written = shadow.header.open_period = 5;
  shadow.set_period(5);
  run(trace_of({0, 1}), shadow);
  bool noted = false;
  for (const Frame &frame : harvested().frames)
    if (frame.type == trace::FrameType::kNote) {
      noted = true;
      EXPECT_EQ(frame.note.code, trace::NoteCode::kLost);
      EXPECT_NE(frame.note.text.find("periods 2 to 4"), std::string::npos)
          << frame.note.text;
    }
  EXPECT_TRUE(noted);
  EXPECT_EQ(periods().count(5), 1u);
}

TEST_F(HarvestTest, NothingIsOpenWhereRecordingHadStopped) {
  ShadowFileMaker shadow;
  shadow.header.recording = 0;
  shadow.header.periods_written = 1;
  shadow.header.open_period = 2;
  shadow.set_period(1);
  shadow.set_slot(1, SlotState::kLive, 60);
  shadow.mark_read(1, kHeap);
  reason_ = trace::EndReason::kFailed;
  const HarvestResult result = run(trace_of({0}), shadow);
  EXPECT_EQ(result.whole_periods, 1u);
  EXPECT_FALSE(result.partial_period);
  EXPECT_EQ(periods().size(), 2u);
  // Whoever stops records the end. So it could not be written.
  EXPECT_TRUE(result.ends_early);
}

TEST_F(HarvestTest, OnlyTheEndIsMissing) {
  ShadowFileMaker shadow;
  shadow.header.recording =
      static_cast<std::uint32_t>(shadow_file::RecordingState::kExited);
  shadow.header.periods_written = 2;
  shadow.header.open_period = 2;
  shadow.set_period(1);
  const HarvestResult result = run(trace_of({0, 1}), shadow);
  EXPECT_TRUE(result.had_all_periods);
  EXPECT_FALSE(result.ends_early);
  EXPECT_EQ(missing_from_trace(UniqueFd(::open(path_.c_str(), O_RDONLY)).get(),
                               path_),
            "");
  EXPECT_EQ(read_all(TraceReader::open(path_)).frames.back().end.reason,
            trace::EndReason::kExit);
  // The last period was released, and is not there.
  EXPECT_TRUE(run(trace_of({0}), shadow).ends_early);
}

TEST_F(HarvestTest, NumbersAreNotIndexes) {
  // A second recording in one process: the numbers go on, the indexes begin
  // again.
  ShadowFileMaker shadow;
  shadow.header.periods_written = 101;
  shadow.header.open_period = 102;
  shadow.set_period_index(101, 1);
  shadow.set_period_index(102, 2);
  shadow.stage(1, 0, {shadow.word({0x1000}, {})});
  shadow.stage(2, 0, {shadow.word({0x2000}, {})});
  const HarvestResult result = run(trace_of({0}), shadow);
  EXPECT_EQ(result.whole_periods, 1u);
  EXPECT_EQ(runs(1), "1+1:1");
  EXPECT_EQ(runs(2), "2+1:1");
  EXPECT_EQ(periods().size(), 3u);
}

TEST_F(HarvestTest, IndexesThatDoNotRiseAreLeftOut) {
  ShadowFileMaker shadow;
  shadow.header.open_period = 3;
  shadow.set_period_index(0, 5);
  shadow.set_period_index(1, 5);
  shadow.set_period_index(2, UINT64_MAX);
  shadow.set_period_index(3, 6);
  const HarvestResult result = run(trace_of({}), shadow);
  EXPECT_EQ(result.whole_periods, 1u);
  EXPECT_TRUE(result.partial_period);
  EXPECT_EQ(periods().size(), 2u);
}

} // namespace
} // namespace pagetide::tools

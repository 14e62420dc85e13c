//===- live_trace_test.cpp - A trace that grows ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "top/live_trace.h"

#include "report/run_report_testing.h"
#include "short_names.h"
#include "support/failure.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace pagetide::tools {
namespace {

constexpr auto kForever = std::chrono::steady_clock::time_point::max();

/// Period `index` of 100 ms.
PeriodPart short_period(std::uint64_t index,
                        const std::vector<GranuleRun> &runs,
                        std::uint32_t tid = 0) {
  PeriodPart period;
  period.index = index;
  period.start_ns = kSampleStartNs + index * 100 * kMs;
  period.end_ns = period.start_ns + 100 * kMs;
  if (!runs.empty())
    period.add_section(tid, runs);
  return period;
}

/// A file that grows as the runtime's does.
class LiveTraceTest : public testing::Test {
protected:
  LiveTraceTest()
      : path_(directory_.file("trace")),
        fd_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC,
                   0600)),
        sink_(fd_.get(), path_), writer_(sink_) {
    ::flock(fd_.get(), LOCK_EX);
  }

  void begin(const trace::FileHeader &header = sample_header()) {
    writer_.header(header);
    writer_.write(Process{"/bin/x", {"./x"}, "", "marks", "0"});
    writer_.write(one_mapping("[heap]", kSampleHeap, 1000));
  }
  LiveTrace follow() {
    return {UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)), path_};
  }
  std::uint64_t size() {
    return static_cast<std::uint64_t>(::lseek(fd_.get(), 0, SEEK_END));
  }
  void add_bytes(const Bytes &bytes, std::size_t from, std::size_t to) {
    sink_.write(std::span(bytes).subspan(from, to - from));
  }

  ScratchDirectory directory_;
  std::string path_;
  UniqueFd fd_;
  FdSink sink_;
  TraceWriter writer_;
};

TEST_F(LiveTraceTest, TellsTheLastSecond) {
  begin();
  LiveTrace trace = follow();
  EXPECT_TRUE(trace.read(kForever));
  EXPECT_EQ(trace.figures().periods, 0u);
  // A page a period: each of them is read, and each second one is written.
  for (std::uint64_t i = 0; i < 25; ++i)
    writer_.write(short_period(
        i, {{kSampleHeap + i, 1, i % 2 ? unsigned{kR} | kW : unsigned{kR}}}));
  EXPECT_TRUE(trace.read(kForever));
  const LiveFigures figures = trace.figures();
  EXPECT_EQ(figures.periods, 10u);
  EXPECT_EQ(figures.start_ns, kSampleStartNs + 1500 * kMs);
  EXPECT_EQ(figures.end_ns, kSampleStartNs + 2500 * kMs);
  EXPECT_EQ(figures.all.accessed, 10u);
  EXPECT_EQ(figures.all.read, 10u);
  EXPECT_EQ(figures.all.written, 5u);
  ASSERT_EQ(figures.mappings.size(), 1u);
  EXPECT_EQ(figures.mappings[0].name, "[heap]");
  EXPECT_EQ(figures.mappings[0].counts.accessed, 10u);
  EXPECT_EQ(figures.mappings[0].counts.written, 5u);
  EXPECT_FALSE(figures.is_cut_short);
  EXPECT_FALSE(figures.is_lower_bound);
  EXPECT_EQ(trace.periods(), 25u);
  EXPECT_EQ(trace.read_bytes(), size());
}

TEST_F(LiveTraceTest, APageOfSeveralPeriodsCountsOnce) {
  begin();
  writer_.write(short_period(0, {{kSampleHeap, 4, kR}}));
  writer_.write(short_period(1, {{kSampleHeap + 2, 4, kW}}));
  LiveTrace trace = follow();
  trace.read(kForever);
  EXPECT_EQ(trace.figures().all.accessed, 6u);
  EXPECT_EQ(trace.figures().all.read, 4u);
  EXPECT_EQ(trace.figures().all.written, 4u);
}

TEST_F(LiveTraceTest, APeriodMayBeLongerThanASecond) {
  begin();
  for (std::uint64_t i = 0; i < 3; ++i) {
    PeriodPart period = short_period(i, {{kSampleHeap + 10 * i, i + 1, kR}});
    period.start_ns = kSampleStartNs + i * 5000 * kMs;
    period.end_ns = period.start_ns + 5000 * kMs;
    writer_.write(period);
  }
  LiveTrace trace = follow();
  trace.read(kForever);
  EXPECT_EQ(trace.figures().periods, 1u);
  EXPECT_EQ(trace.figures().all.accessed, 3u);
}

TEST_F(LiveTraceTest, PeriodsNeedNotHaveExactlyTheirLength) {
  begin();
  std::uint64_t start = kSampleStartNs;
  for (std::uint64_t i = 0; i < 8; ++i) {
    PeriodPart period = short_period(i, {{kSampleHeap + i, 1, kR}});
    period.start_ns = start;
    period.end_ns = start += (i % 2 ? 499 : 501) * kMs;
    writer_.write(period);
    LiveTrace trace = follow();
    trace.read(kForever);
    EXPECT_EQ(trace.figures().periods, std::min<std::uint64_t>(i + 1, 2));
  }
}

TEST_F(LiveTraceTest, AFrameThatIsHalfWrittenIsReadLater) {
  begin();
  MemorySink whole;
  TraceWriter next(whole);
  PeriodPart period = short_period(0, {{kSampleHeap, 7, kW}});
  period.context = 1;
  next.frame(trace::FrameType::kPeriod, encode(period));
  const Bytes &bytes = whole.bytes();
  LiveTrace trace = follow();
  // Within its magic, its header and its payload.
  std::size_t at = 0;
  for (const std::size_t to :
       {std::size_t{2}, std::size_t{23}, std::size_t{25}, bytes.size() - 1}) {
    add_bytes(bytes, at, to);
    at = to;
    EXPECT_TRUE(trace.read(kForever));
    EXPECT_EQ(trace.periods(), 0u);
  }
  add_bytes(bytes, at, bytes.size());
  EXPECT_TRUE(trace.read(kForever));
  EXPECT_EQ(trace.periods(), 1u);
  EXPECT_EQ(trace.figures().all.accessed, 7u);
  EXPECT_EQ(trace.figures().mappings.at(0).name, "[heap]");
}

TEST_F(LiveTraceTest, APartOfAPeriodDoesNotCountYet) {
  begin();
  writer_.write(short_period(0, {{kSampleHeap, 1, kR}}));
  PeriodPart period;
  std::vector<GranuleRun> runs;
  for (std::uint64_t i = 0; i < 300; ++i)
    runs.push_back({kSampleHeap + 2 * i, 1, kR});
  period = short_period(1, runs);
  period.context = 1;
  const std::vector<Bytes> parts = encode_period(period, 200);
  ASSERT_GT(parts.size(), 2u);
  LiveTrace trace = follow();
  for (const Bytes &part : parts) {
    trace.read(kForever);
    EXPECT_EQ(trace.figures().all.accessed, 1u);
    writer_.frame(trace::FrameType::kPeriod, part);
  }
  trace.read(kForever);
  EXPECT_EQ(trace.figures().all.accessed, 300u);
  EXPECT_EQ(trace.figures().periods, 2u);
}

TEST_F(LiveTraceTest, AWriterMayCutBackWhatItCannotComplete) {
  begin();
  writer_.write(short_period(0, {{kSampleHeap, 1, kR}}));
  const std::uint64_t whole = size();
  std::vector<GranuleRun> runs;
  for (std::uint64_t i = 0; i < 300; ++i)
    runs.push_back({kSampleHeap + 2 * i, 1, kR});
  PeriodPart period = short_period(1, runs);
  period.context = 1;
  writer_.frame(trace::FrameType::kPeriod, encode_period(period, 200)[0]);
  LiveTrace trace = follow();
  trace.read(kForever);
  ASSERT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(whole)), 0);
  // Once the file is shorter than what was read, and once it is longer.
  writer_.write(Note{1, 1, trace::NoteCode::kInfo, "x"});
  trace.read(kForever);
  writer_.write(period);
  writer_.write(End{.periods = 2});
  trace.read(kForever);
  EXPECT_EQ(trace.periods(), 2u);
  ::flock(fd_.get(), LOCK_UN);
  trace.set_ended();
  EXPECT_TRUE(trace.read(kForever));
  EXPECT_TRUE(trace.completeness().is_complete())
      << trace.completeness().sentence();
}

TEST_F(LiveTraceTest, AnEndIsTold) {
  begin();
  writer_.write(short_period(0, {{kSampleHeap, 1, kR}}));
  LiveTrace trace = follow();
  trace.read(kForever);
  EXPECT_FALSE(trace.end());
  EXPECT_TRUE(trace.is_being_written());
  writer_.write(End{.reason = trace::EndReason::kKilled, .detail = 256 + 9});
  trace.read(kForever);
  ASSERT_TRUE(trace.end());
  EXPECT_EQ(trace.end()->reason, trace::EndReason::kKilled);
  fd_.reset();
  EXPECT_FALSE(trace.is_being_written());
  trace.set_ended();
  EXPECT_TRUE(trace.read(kForever));
  EXPECT_TRUE(trace.completeness().is_complete());
}

TEST_F(LiveTraceTest, AfterAFailedExecTheTraceGoesOn) {
  begin();
  LiveTrace trace = follow();
  writer_.write(End{.reason = trace::EndReason::kExec});
  trace.read(kForever);
  EXPECT_TRUE(trace.end());
  writer_.write(short_period(0, {{kSampleHeap, 1, kR}}));
  trace.read(kForever);
  EXPECT_FALSE(trace.end());
}

TEST_F(LiveTraceTest, WithoutAnEndItIsIncomplete) {
  begin();
  writer_.write(short_period(0, {{kSampleHeap, 1, kR}}));
  LiveTrace trace = follow();
  trace.read(kForever);
  trace.set_ended();
  EXPECT_TRUE(trace.read(kForever));
  EXPECT_FALSE(trace.end());
  EXPECT_FALSE(trace.completeness().is_complete());
}

TEST_F(LiveTraceTest, TellsThreadsApart) {
  begin(per_thread_header());
  const auto start = trace::ThreadEvent::kStart;
  writer_.write(Threads{{{start, 10, 0, "main"},
                         {start, 11, 0, "worker"},
                         {start, 12, 0, "idle"},
                         {start, 13, 0, "gone"},
                         {trace::ThreadEvent::kEnd, 13, 0, ""}}});
  PeriodPart period = short_period(0, {{kSampleHeap, 4, kR}}, 10);
  period.add_section(11, std::vector<GranuleRun>{{kSampleHeap + 2, 4, kW}});
  writer_.write(period);
  LiveTrace trace = follow();
  trace.read(kForever);
  LiveFigures figures = trace.figures();
  EXPECT_EQ(figures.all.accessed, 6u);
  ASSERT_EQ(figures.threads.size(), 3u);
  EXPECT_EQ(figures.threads[0].name, "main");
  EXPECT_EQ(figures.threads[0].counts.read, 4u);
  EXPECT_EQ(figures.threads[1].name, "worker");
  EXPECT_EQ(figures.threads[1].counts.written, 4u);
  EXPECT_EQ(figures.threads[2].name, "idle");
  EXPECT_EQ(figures.threads[2].counts.accessed, 0u);
}

TEST_F(LiveTraceTest, AMappingMayBeListedAfterItsPeriod) {
  begin();
  LiveTrace trace = follow();
  writer_.write(short_period(0, {{0x700000, 3, kW}}));
  trace.read(kForever);
  EXPECT_EQ(trace.figures().all.accessed, 3u);
  EXPECT_TRUE(trace.figures().mappings.empty());
  writer_.write(one_mapping("/new", 0x700000, 10));
  writer_.write(short_period(1, {{0x700000, 3, kW}}));
  trace.read(kForever);
  const LiveFigures figures = trace.figures();
  EXPECT_EQ(figures.all.accessed, 3u);
  ASSERT_EQ(figures.mappings.size(), 1u);
  EXPECT_EQ(figures.mappings[0].name, "/new");
}

TEST_F(LiveTraceTest, TellsSites) {
  const Bytes bytes = sample_trace("sites");
  sink_.write(bytes);
  LiveTrace trace = follow();
  trace.read(kForever);
  const LiveFigures figures = trace.figures();
  // By rising ids, in the last two of three periods.
  const std::vector<std::array<std::uint64_t, 3>> expected = {
      {6, 0, 6}, {6, 6, 2}, {2, 2, 0}, {1, 0, 1}, {1, 0, 1}};
  ASSERT_EQ(figures.sites.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto &[name, counts] = figures.sites[i];
    EXPECT_EQ(counts.accessed, expected[i][0]) << name;
    EXPECT_EQ(counts.read, expected[i][1]) << name;
    EXPECT_EQ(counts.written, expected[i][2]) << name;
  }
  // Functions first, as in report sites: a narrow terminal cuts the rest.
  EXPECT_EQ(figures.sites[0].name,
            "sort::fill (sort.cpp:12:7), in main (main.cpp:40:3)");
}

TEST_F(LiveTraceTest, CertainAccessesCount) {
  begin();
  writer_.write(short_period(0, {{kSampleHeap, 1, trace::kRunMayRead},
                                 {kSampleHeap + 1, 1, trace::kRunCarried},
                                 {kSampleHeap + 2, 1, kR}}));
  LiveTrace trace = follow();
  trace.read(kForever);
  EXPECT_EQ(trace.figures().all.accessed, 1u);
}

TEST_F(LiveTraceTest, ItsMemoryIsBounded) {
  begin();
  // Two periods of three million runs exceed what is kept.
  std::vector<GranuleRun> runs;
  for (std::uint64_t i = 0; i < 3'000'000; ++i)
    runs.push_back({0x1000 + 2 * i, 1, kR});
  writer_.write(one_mapping("[big]", 0x1000, 6'000'000));
  writer_.write(short_period(0, runs));
  writer_.write(short_period(1, {{kSampleHeap, 5, kR}}));
  LiveTrace trace = follow();
  trace.read(kForever);
  EXPECT_EQ(trace.figures().periods, 2u);
  EXPECT_FALSE(trace.figures().is_cut_short);
  writer_.write(short_period(2, runs));
  trace.read(kForever);
  LiveFigures figures = trace.figures();
  EXPECT_TRUE(figures.is_cut_short);
  EXPECT_EQ(figures.periods, 2u);
  EXPECT_EQ(figures.all.accessed, 3'000'005u);
  // A second later nothing is missing any more.
  for (std::uint64_t i = 3; i < 14; ++i)
    writer_.write(short_period(i, {{kSampleHeap, 5, kR}}));
  trace.read(kForever);
  figures = trace.figures();
  EXPECT_FALSE(figures.is_cut_short);
  EXPECT_EQ(figures.all.accessed, 5u);
}

TEST_F(LiveTraceTest, TheCurveHasTheLastMinutes) {
  begin();
  for (std::uint64_t i = 0; i < 4000; ++i)
    writer_.write(short_period(i, {{kSampleHeap, 1 + i % 7, kR}}));
  LiveTrace trace = follow();
  trace.read(kForever);
  const TimeCurve curve = trace.recent_sizes();
  EXPECT_LE(curve.duration_ns(), 301'000 * kMs);
  EXPECT_GE(curve.duration_ns(), 200'000 * kMs);
  const auto columns = curve.columns(10);
  EXPECT_EQ(*std::max_element(columns.begin(), columns.end()), 7u);
}

TEST_F(LiveTraceTest, AFileWithoutAHeaderIsNoTraceYet) {
  EXPECT_THROW(follow(), Failure);
}

} // namespace
} // namespace pagetide::tools

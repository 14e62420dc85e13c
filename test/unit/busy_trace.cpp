//===- busy_trace.cpp - A sample that has something of everything ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "busy_trace.h"

#include "short_names.h"
#include "trace/hash.h"
#include "trace/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kPeriods = 64;
constexpr std::uint64_t kText = 0x555555554;
constexpr std::uint64_t kHeap = 0x555555600;
constexpr std::uint64_t kArena = 0x7ffff0000;
constexpr std::uint64_t kLibc = 0x7ffff7c00;
constexpr std::uint64_t kStack = 0x7ffffffde;
constexpr std::uint32_t kMain = 4242;
constexpr std::uint32_t kWorkers[] = {4250, 4251};

trace::FileHeader busy_header() {
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderPerThread;
  header.period_ns = 10 * kMs;
  return header;
}

Mappings mappings_with_heap(std::uint64_t time_ns, std::uint64_t pages) {
  return {time_ns,
          {{kText << 12, 0x10000, 5, 0, "/home/user/bin/sorter"},
           {(kText + 0x10) << 12, 0x4000, 3, 0x10000, "/home/user/bin/sorter"},
           {kHeap << 12, pages << 12, 3, 0, "[heap]"},
           {kArena << 12, 1024 << 12, 3, 0, ""},
           {kLibc << 12, 0x1e0000, 5, 0, "/usr/lib/x86_64-linux-gnu/libc.so.6"},
           {kStack << 12, 0x21000, 3, 0, "[stack]"}}};
}

/// What the main thread does: it fills the heap, then walks through it.
std::vector<GranuleRun> of_main(std::uint64_t index) {
  std::vector<GranuleRun> runs = {{kText, 6, kR}, {kText + 0x10, 2, kR | kW}};
  if (index < 32)
    runs.push_back({kHeap + index * 12, 16, kW});
  else
    runs.push_back({kHeap + (index - 32) * 12, 24, kR});
  if (index % 8 == 0)
    runs.push_back({kArena, 64, kR});
  runs.push_back({kLibc + 40, 3, kR});
  runs.push_back({kStack + 31, 2, kR | kW});
  return runs;
}

/// What a worker does: its half of the arena from the tenth period on, and some
/// pages that both use.
std::vector<GranuleRun> of_worker(std::uint64_t index, std::uint64_t worker) {
  if (index < 10)
    return {};
  const std::uint64_t half = kArena + worker * 512;
  std::vector<GranuleRun> runs;
  if (worker == 1)
    runs.push_back({kArena + 496, 16, kR});
  runs.push_back({half + (index * 17) % 400, 64, kR | kW});
  runs.push_back({half + 480, 32, kW});
  if (index % 16 == 3)
    runs.push_back({half + 512 - worker * 512 + 600, 4, trace::kRunMayRead});
  std::sort(runs.begin(), runs.end(),
            [](const GranuleRun &a, const GranuleRun &b) {
              return a.first < b.first;
            });
  return runs;
}

/// Each second content of a page is that of the period before.
void add_checksums(PeriodPart &period) {
  std::vector<GranuleRun> scratch;
  for (const GranuleRun &run : union_of_sections(period, scratch)) {
    if (!(run.flags & kW))
      continue;
    const bool is_stable = period.index % 7 != 5 || run.first < kArena;
    period.checksum_runs.push_back(
        {run.first, run.count,
         static_cast<unsigned>(is_stable ? trace::ChecksumState::kStable
                                         : trace::ChecksumState::kUnstable)});
    if (!is_stable) {
      period.left_out += run.count;
      continue;
    }
    for (std::uint64_t granule = run.first; granule < run.end(); ++granule) {
      const std::uint64_t content[] = {granule, (period.index + granule) / 2};
      const std::uint64_t hash = hash_bytes(content, sizeof(content));
      period.hashes.push_back(hash);
      period.combined += combined_term(granule << 12, hash);
      ++period.stable;
    }
  }
}

PeriodPart busy_period(std::uint64_t index) {
  PeriodPart period;
  period.index = index;
  period.start_ns = kSampleStartNs + index * 10 * kMs;
  period.end_ns = period.start_ns + 10 * kMs;
  return period;
}

} // namespace

Bytes make_busy() {
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(busy_header());
  writer.write(Process{"/home/user/bin/sorter",
                       {"./sorter", "--threads=2", "two words.txt"},
                       "period=10ms:per_thread=1:checksum=written",
                       "marks",
                       "0.1.0"});
  writer.write(mappings_with_heap(kSampleStartNs, 128));
  writer.write(
      Threads{{{trace::ThreadEvent::kStart, kMain, kSampleStartNs, "sorter"}}});
  for (std::uint64_t index = 0; index < kPeriods; ++index) {
    const std::uint64_t start = kSampleStartNs + index * 10 * kMs;
    if (index == 10)
      for (std::size_t i = 0; i < 2; ++i)
        writer.write(Threads{{{trace::ThreadEvent::kStart, kWorkers[i], start,
                               fmt::format("worker-{}", i + 1)}}});
    // The list comes late, as in real traces.
    if (index % 10 == 5)
      writer.write(mappings_with_heap(start, 128 + index * 12));
    PeriodPart period = busy_period(index);
    period.overruns = index == 20 ? 1 : 0;
    period.add_section(kMain, of_main(index));
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto runs = of_worker(index, i); !runs.empty())
        period.add_section(kWorkers[i], runs);
    add_checksums(period);
    writer.write(period);
  }
  writer.write(Note{kSampleStartNs + 3 * kMs, 20, trace::NoteCode::kInfo,
                    "the recorder fell behind for one period"});
  writer.write(
      End{kSampleStartNs + kPeriods * 10 * kMs, trace::EndReason::kExit, 0});
  return sink.bytes();
}

Bytes make_busy_child() {
  trace::FileHeader header = busy_header();
  header.pid = 4300;
  header.parent_pid = kMain;
  header.flags |= trace::kHeaderMarksLate;
  MemorySink sink;
  TraceWriter writer(sink);
  writer.header(header);
  writer.write(Process{"/usr/bin/gzip",
                       {"gzip", "-9", "", ""},
                       "period=10ms",
                       "marks",
                       "0.1.0"});
  writer.write(mappings_with_heap(kSampleStartNs, 128));
  for (std::uint64_t index = 0; index < 20; ++index) {
    PeriodPart period = busy_period(index + 30);
    period.index = index;
    period.add_section(
        header.pid,
        std::vector<GranuleRun>{
            {kHeap + index, 8, index % 2 == 0 ? unsigned{kW} : kR | kW},
            {kStack + 31, 1, kW}});
    add_checksums(period);
    writer.write(period);
  }
  // No End frame: it was killed, and nobody completed its trace.
  return sink.bytes();
}

} // namespace pagetide::tools

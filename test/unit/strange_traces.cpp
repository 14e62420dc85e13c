//===- strange_traces.cpp - Samples that are hard to read -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "strange_traces.h"

#include "sample_parts.h"
#include "trace/hash.h"
#include "trace/trace_reader.h"

#include <memory>

namespace pagetide::tools {

namespace {

constexpr unsigned kChangingPeriods = 6;

/// What is known of addresses and threads changes between periods: a reader
/// that misses a frame and does not notice would say something wrong.
void write_changing_periods(TraceWriter &writer) {
  RunId id;
  id.bytes.fill(0x5a);
  writer.write(id);
  writer.write(sample_process());
  writer.write(sample_mappings());
  writer.write(
      Threads{{{trace::ThreadEvent::kStart, 4242, kSampleStartNs, "sorter"},
               {trace::ThreadEvent::kStart, 4243, kSampleStartNs, "worker"}}});
  for (std::uint64_t i = 0; i < kChangingPeriods; ++i) {
    PeriodPart period = sample_period(i);
    std::vector<GranuleRun> runs;
    for (std::uint64_t run = 0; run < 12; ++run)
      runs.push_back({kHeap + 20 * i + 3 * run, 1 + run % 2, kR | kW});
    period.add_section(4242, std::vector<GranuleRun>{{kText + i, 2, kR}});
    period.add_section(4243, runs);
    add_stable_checksums(period, 12, runs);
    writer.write(period, i == 1 ? 150 : trace::kPartBytes);
    if (i == 1) {
      // Another file where the heap was.
      Mappings mappings = sample_mappings();
      mappings.mappings[1].name = "/home/user/words";
      writer.write(mappings);
    }
    if (i == 2)
      // Another thread with the same number.
      writer.write(Threads{
          {{trace::ThreadEvent::kEnd, 4243, period.end_ns - 2, ""},
           {trace::ThreadEvent::kStart, 4243, period.end_ns - 1, "helper"}}});
    if (i == 3)
      writer.write(Note{period.end_ns, i, trace::NoteCode::kInfo, "a note"});
  }
  writer.write(sample_end(kChangingPeriods));
}

} // namespace

Bytes make_changing() {
  Sample sample(per_thread_header());
  write_changing_periods(*sample);
  return sample.take();
}

/// The same as a runtime of version 1.3 wrote it, without counts.
Bytes make_earlier_minor() {
  trace::FileHeader header = finished_header(per_thread_header());
  const Bytes bytes = make_changing();
  header.version_minor = trace::kMinorWithCounts - 1;
  header.hash = header_hash(header);
  MemorySink sink;
  sink.write({reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
  TraceWriter writer(sink, Compression::kNone);
  TraceReader reader(std::make_unique<MemorySource>(bytes), "changing");
  Frame frame;
  while (reader.next(frame)) {
    if (frame.type == trace::FrameType::kPeriod) {
      frame.period.first = false;
      Bytes payload = encode(frame.period);
      payload.pop_back(); // the count of frames, a small number
      writer.frame(frame.type, payload);
    } else if (frame.type == trace::FrameType::kEnd) {
      Bytes payload = encode(frame.end);
      payload.pop_back();
      writer.frame(frame.type, payload);
    } else if (frame.type == trace::FrameType::kMappings) {
      writer.write(frame.mappings);
    } else if (frame.type == trace::FrameType::kThreads) {
      writer.write(frame.threads);
    }
  }
  return sink.bytes();
}

/// A wrong bit in a period's frame, with sound frames behind it.
Bytes make_damaged_inside() {
  Bytes bytes = make_changing();
  TraceReader reader(std::make_unique<MemorySource>(bytes), "changing");
  Frame frame;
  while (reader.next(frame) &&
         (frame.type != trace::FrameType::kPeriod || frame.period.index != 3)) {
  }
  bytes[frame.offset + sizeof(trace::FrameHeader) + 3] ^= 0x10;
  return bytes;
}

/// Nothing here is against the format, but all of it is unpleasant.
Bytes make_hostile() {
  trace::FileHeader header = per_thread_header();
  header.checksum_mode = trace::ChecksumMode::kNone;
  header.period_ns = UINT64_MAX;
  header.realtime_ns = UINT64_MAX;
  Sample sample(header);
  TraceWriter &writer = *sample;
  const std::string right_to_left = {'\xe2', '\x80', '\xae'};
  writer.write(Process{"/tmp/\x1b[31mred\xff",
                       {"\x1b]0;owned\x07", "", "it's", right_to_left},
                       "\n",
                       "",
                       ""});
  writer.write(Mappings{0,
                        {{0, 0x1000, 0, 0, std::string(5000, 'x')},
                         {0x1000, 0, 0, 0, "empty"},
                         {0x1000, 0x7fffffffe000, 0, 0, "\r\n[heap]"},
                         {0xffffffffff600000, 0x1000, 5, 0, "[vsyscall]"}}});
  writer.write(Threads{{{trace::ThreadEvent::kEnd, UINT32_MAX, 0, "\x9b"}}});
  PeriodPart period = sample_period(0);
  period.start_ns = 0;
  period.end_ns = UINT64_MAX;
  period.overruns = UINT64_MAX;
  const std::uint64_t limit = std::uint64_t{1} << 35;
  period.add_section(0, std::vector<GranuleRun>{{0, limit, kR}});
  period.add_section(UINT32_MAX, std::vector<GranuleRun>{{limit - 1, 1, 0xff}});
  writer.write(period);
  writer.write(Note{UINT64_MAX, UINT64_MAX, static_cast<trace::NoteCode>(200),
                    "\x1b[2J"});
  writer.write(End{UINT64_MAX, static_cast<trace::EndReason>(99), UINT64_MAX});
  return sample.take();
}

/// A later minor version: a longer header and longer frames.
Bytes make_later_minor() {
  trace::FileHeader header = finished_header(sample_header());
  header.version_minor = trace::kVersionMinor + 1;
  header.header_bytes = 96;
  header.hash = header_hash(header);
  MemorySink sink;
  sink.write({reinterpret_cast<const std::uint8_t *>(&header), sizeof(header)});
  sink.write(Bytes(16, 0xaa));
  TraceWriter writer(sink);
  Bytes payload = encode(sample_period(0));
  payload.push_back(42);
  writer.frame(trace::FrameType::kPeriod, payload);
  writer.write(sample_end(1));
  return sink.bytes();
}

namespace {

/// Sites of two threads in three periods: an inlined place, one without a line,
/// two places with one id, a call of libc, and an id that no table has.
Bytes sites_trace(abi::Layout layout) {
  trace::FileHeader header = sample_header();
  header.layout = static_cast<std::uint32_t>(layout);
  header.flags = trace::kHeaderPerThread | trace::kHeaderSites;
  Sample sample(header);
  TraceWriter &writer = *sample;
  const bool one_cell = layout == abi::Layout::kAccess;
  const unsigned read = one_cell ? trace::kRunAccessed : kR;
  const unsigned write = one_cell ? trace::kRunAccessed : kW;
  writer.write(sample_process());
  writer.write(sample_mappings());
  writer.write(
      Threads{{{trace::ThreadEvent::kStart, 4242, kSampleStartNs, "sorter"},
               {trace::ThreadEvent::kStart, 4243, kSampleStartNs, "helper"}}});
  SiteTablePart table;
  table.strings = {"_ZN4sort4fillEPj", "/src/sort.cpp", "main",
                   "/src/main.cpp",    "plain",         "",
                   "/lib/libz.so.1"};
  table.callers = {{2, 3, 40, 3}};
  table.sites = {{0x100, trace::kSiteWrites, {0, 1, 12, 7}, 0, 1},
                 {0x200, trace::kSiteReads, {4, 5, 0, 0}, 1, 0},
                 {0x300, trace::kSiteReads, {2, 3, 50, 9}, 1, 0}};
  writer.write(table);
  table.callers.clear();
  table.sites = {{0x300, trace::kSiteReads, {2, 3, 60, 2}, 0, 0},
                 {0x400, trace::kSiteReturn, {5, 6, 0x1234, 0}, 0, 0},
                 {0x200, trace::kSiteWrites, {4, 5, 0, 0}, 0, 0}};
  writer.write(table);
  for (std::uint64_t index = 0; index < 3; ++index) {
    PeriodPart period = sample_period(index);
    PeriodSites sites;
    sites.index = index;
    sites.start_ns = period.start_ns;
    sites.end_ns = period.end_ns;
    const auto site = [&](std::uint32_t of_read, std::uint32_t of_write) {
      return one_cell ? SiteRun{0, 0, of_write ? of_write : of_read, 0}
                      : SiteRun{0, 0, of_read, of_write};
    };
    const auto at = [](SiteRun run, std::uint64_t first, std::uint64_t count) {
      run.first = first;
      run.count = count;
      return run;
    };
    period.add_section(4242,
                       std::vector<GranuleRun>{{kText, 2, read},
                                               {kHeap, 4 + index, read | write},
                                               {kStack, 1, write}});
    sites.add_section(
        4242, std::vector<SiteRun>{at(site(0x300, 0), kText, 2),
                                   at(site(0x200, 0x100), kHeap, 4 + index),
                                   at(site(0, 0x400), kStack, 1)});
    if (index != 2) {
      period.add_section(4243, std::vector<GranuleRun>{{kHeap + 2, 2, write},
                                                       {kHeap + 9, 1, write}});
      sites.add_section(
          4243, std::vector<SiteRun>{
                    at(site(0, 0x200), kHeap + 2, 2),
                    at(site(0, 0x500), kHeap + 9, 1),
                    at(site(0x200 | trace::kSiteMay, 0), kHeap + 10, 1)});
    }
    writer.write(sites);
    writer.write(period);
  }
  writer.write(sample_end(3));
  return sample.take();
}

} // namespace

Bytes make_sites() { return sites_trace(abi::Layout::kRw); }
Bytes make_sites_access() { return sites_trace(abi::Layout::kAccess); }

} // namespace pagetide::tools

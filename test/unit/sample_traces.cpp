//===- sample_traces.cpp - Small traces whose content is known ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "busy_trace.h"
#include "sample_parts.h"
#include "strange_traces.h"

#include "support/failure.h"
#include "support/unique_fd.h"
#include "trace/hash.h"

#include "pagetide/trace_encoding.h"

#include <fcntl.h>

#include <cstring>

namespace pagetide::tools {

namespace {

/// One period with all that a checksum can be.
PeriodPart checksum_period() {
  PeriodPart period = sample_period(1);
  period.overruns = 2;
  period.add_section(0, std::vector<GranuleRun>{{kText, 3, kR},
                                                {kHeap, 2, kR | kW},
                                                {kHeap + 2, 3, kW},
                                                {kStack + 30, 2, kR | kW}});
  using trace::ChecksumState;
  const auto state = [](ChecksumState s) { return static_cast<unsigned>(s); };
  period.checksum_runs = {{kHeap, 2, state(ChecksumState::kStable)},
                          {kHeap + 2, 1, state(ChecksumState::kUnstable)},
                          {kHeap + 3, 1, state(ChecksumState::kGone)},
                          {kHeap + 4, 1, state(ChecksumState::kUnreadable)},
                          {kStack + 30, 2, state(ChecksumState::kStable)}};
  period.hashes = {0x1122334455667788, 0x00000000000000ff, 0xfedcba9876543210,
                   0x0123456789abcdef};
  std::size_t hash = 0;
  for (const ChecksumRun &run : period.checksum_runs)
    for (std::uint64_t granule = run.first; run.stable() && granule < run.end();
         ++granule)
      period.combined += combined_term(granule << 12, period.hashes[hash++]);
  period.stable = 4;
  period.left_out = 3;
  return period;
}

void write_basic_periods(TraceWriter &writer) {
  PeriodPart first = sample_period(0);
  const std::vector<GranuleRun> written = {{kHeap, 8, kR | kW}};
  first.add_section(0, std::vector<GranuleRun>{{kText, 4, kR}, written[0]});
  add_stable_checksums(first, 12, written);
  writer.write(first);
  writer.write(checksum_period());
  PeriodPart last = sample_period(2);
  last.end_ns = last.start_ns + 120 * kMs;
  last.flags = trace::kPeriodFinal;
  last.add_section(0, std::vector<GranuleRun>{{0x7ffff7000, 1, kR}});
  writer.write(last);
}

Bytes make_basic() {
  Sample sample;
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  writer.write(sample_mappings());
  writer.write(
      Threads{{{trace::ThreadEvent::kStart, 4242, kSampleStartNs, "sorter"}}});
  write_basic_periods(writer);
  writer.write(Note{kSampleStartNs + 3, 1, trace::NoteCode::kThreadsShared,
                    "more threads than slots"});
  writer.write(End{kSampleStartNs + 1120 * kMs, trace::EndReason::kExit, 0});
  return sample.take();
}

/// Checksums with others beside them that do not depend on addresses.
Bytes make_relative() {
  trace::FileHeader header = sample_header();
  header.checksum_mode = trace::ChecksumMode::kWritten;
  header.flags |= trace::kHeaderRelativeHashes;
  Sample sample(finished_header(header));
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  writer.write(sample_mappings());
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::vector<GranuleRun> written = {{kHeap + i, 2, kW}};
    PeriodPart period = sample_period(i);
    period.add_section(0, written);
    add_stable_checksums(period, 12, written);
    period.relative_hashes = {i, ~i};
    writer.write(period);
  }
  writer.write(sample_end(3));
  return sample.take();
}

/// The example of docs/reference/trace-format.md.
Bytes make_tiny() {
  trace::FileHeader header = sample_header();
  header.checksum_mode = trace::ChecksumMode::kWritten;
  MemorySink sink;
  // Uncompressed, so that the document can explain every byte.
  TraceWriter writer(sink, Compression::kNone);
  writer.header(header);
  PeriodPart period = sample_period(0);
  const std::vector<GranuleRun> written = {{0x10000, 1, kR | kW}};
  period.add_section(0, std::vector<GranuleRun>{{0x1000, 300, kR}, written[0]});
  period.overruns = 1;
  add_stable_checksums(period, 12, written);
  writer.write(period);
  writer.write(sample_end(1));
  return sink.bytes();
}

Bytes make_threads() {
  Sample sample(per_thread_header());
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  writer.write(sample_mappings());
  writer.write(Threads{
      {{trace::ThreadEvent::kStart, 4242, kSampleStartNs, "sorter"},
       {trace::ThreadEvent::kStart, 4243, kSampleStartNs + kMs, "worker"},
       {trace::ThreadEvent::kEnd, 4243, kSampleStartNs + 700 * kMs, ""}}});
  PeriodPart first = sample_period(0);
  first.add_section(0, std::vector<GranuleRun>{{kHeap + 100, 1, kW}});
  first.add_section(4242, std::vector<GranuleRun>{{kHeap, 4, kR | kW}});
  first.add_section(4243, std::vector<GranuleRun>{{kHeap + 2, 6, kR}});
  add_stable_checksums(first, 12, {{kHeap, 4, 0}, {kHeap + 100, 1, 0}});
  writer.write(first);
  PeriodPart second = sample_period(1);
  second.add_section(4243, std::vector<GranuleRun>{{kHeap + 6, 2, kW}});
  add_stable_checksums(second, 12, {{kHeap + 6, 2, 0}});
  writer.write(second);
  writer.write(sample_end(2));
  return sample.take();
}

Bytes make_layout(abi::Layout layout) {
  trace::FileHeader header = sample_header();
  header.layout = static_cast<std::uint32_t>(layout);
  header.checksum_mode = trace::ChecksumMode::kNone;
  Sample sample(header);
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  PeriodPart period = sample_period(0);
  if (layout == abi::Layout::kAccess)
    period.add_section(
        0, std::vector<GranuleRun>{
               {kHeap, 3, trace::kRunAccessed},
               {kHeap + 9, 1, trace::kRunMayRead | trace::kRunMayWritten}});
  else
    period.add_section(
        0, std::vector<GranuleRun>{{kHeap, 3, kW},
                                   {kHeap + 9, 1, trace::kRunMayWritten}});
  writer.write(period);
  writer.write(sample_end(1));
  return sample.take();
}

Bytes make_access() { return make_layout(abi::Layout::kAccess); }
Bytes make_write() { return make_layout(abi::Layout::kWrite); }

Bytes make_fine() {
  trace::FileHeader header = sample_header();
  header.cell_shift = header.granule_shift = 6;
  header.checksum_mode = trace::ChecksumMode::kNone;
  Sample sample(header);
  PeriodPart period = sample_period(0);
  period.flags = trace::kPeriodDriven;
  period.add_section(0, std::vector<GranuleRun>{{0, 1, kR}, {0x5555, 2, kW}});
  (*sample).write(period);
  (*sample).write(sample_end(1));
  return sample.take();
}

/// A period in several parts, with another frame among them.
Bytes make_parts() {
  Sample sample(per_thread_header());
  TraceWriter &writer = *sample;
  PeriodPart period = sample_period(0);
  std::vector<GranuleRun> even;
  std::vector<GranuleRun> odd;
  for (std::uint64_t i = 0; i < 64; ++i)
    (i % 2 == 0 ? even : odd).push_back({kHeap + 3 * i, 2, kR | kW});
  period.add_section(11, even);
  period.add_section(12, odd);
  std::vector<GranuleRun> all;
  for (std::uint64_t i = 0; i < 64; ++i)
    all.push_back({kHeap + 3 * i, 2, 0});
  add_stable_checksums(period, 12, all);
  std::vector<Bytes> parts = encode_period(period, 256);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 2)
      writer.write(sample_mappings());
    if (i >= 2)
      parts[i].back() = 1; // the list of mappings before it
    writer.frame(trace::FrameType::kPeriod, parts[i]);
  }
  PeriodPart second = sample_period(1);
  second.add_section(11, std::vector<GranuleRun>{{kHeap, 1, kR}});
  writer.write(second);
  writer.write(sample_end(2));
  return sample.take();
}

Bytes make_carried() {
  Sample sample;
  PeriodPart period = sample_period(0);
  period.add_section(
      0, std::vector<GranuleRun>{{kHeap, 1, kW},
                                 {kHeap + 1, 1, trace::kRunCarried},
                                 {kHeap + 2, 1, kR | trace::kRunCarried},
                                 {kHeap + 3, 1, trace::kRunMayRead},
                                 {kHeap + 4, 1, kR | trace::kRunMayWritten},
                                 {kHeap + 5, 1, trace::kRunMayWritten}});
  add_stable_checksums(period, 12, {{kHeap, 3, 0}});
  (*sample).write(period);
  (*sample).write(sample_end(1));
  return sample.take();
}

/// Six periods that were to end in cuts. Three did.
Bytes make_cuts() {
  trace::FileHeader header = sample_header();
  header.checksum_mode = trace::ChecksumMode::kWritten;
  header.unstable_policy = trace::UnstablePolicy::kCut;
  Sample sample(header);
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  for (std::uint64_t i = 0; i < 6; ++i) {
    PeriodPart period = sample_period(i);
    const std::vector<GranuleRun> written = {{kHeap + i, 2, kW}};
    period.add_section(0, written);
    add_stable_checksums(period, 12, written);
    Cut cut = {i, 0, 0, 0, 0, 1, ""};
    if (i == 1 || i == 5)
      cut.reason = "threads share a shadow";
    else if (i == 3)
      cut.reason = "reading took longer than option cut_stop allows";
    else
      cut = {i,
             period.end_ns + 3 * kMs,
             i == 4 ? 900'000u : 250'000u,
             10 * i,
             2,
             1,
             ""};
    writer.write(cut);
    writer.write(period);
  }
  // The process died before it could write the period of its last cut.
  writer.write(Cut{6, kSampleStartNs + 4000 * kMs, 1, 1, 1, 1, ""});
  PeriodPart harvested = sample_period(6);
  harvested.flags = trace::kPeriodHarvested;
  harvested.add_section(0, std::vector<GranuleRun>{{kHeap, 2, kW}});
  harvested.left_out = 2;
  writer.write(harvested);
  writer.write(
      End{kSampleStartNs + 4100 * kMs, trace::EndReason::kKilled, 256 + 9});
  return sample.take();
}

Bytes make_harvested() {
  Sample sample;
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  PeriodPart whole = sample_period(0);
  whole.flags = trace::kPeriodHarvested;
  whole.add_section(0, std::vector<GranuleRun>{{kHeap, 5, kW}});
  whole.left_out = 5;
  writer.write(whole);
  PeriodPart partial = sample_period(1);
  partial.flags = trace::kPeriodPartial;
  partial.add_section(0, std::vector<GranuleRun>{{kHeap, 1, kR}});
  writer.write(partial);
  writer.write(
      End{kSampleStartNs + 800 * kMs, trace::EndReason::kKilled, 256 + 9});
  return sample.take();
}

/// An exec that failed: an End frame that is not an end.
Bytes make_failed_exec() {
  Sample sample;
  TraceWriter &writer = *sample;
  PeriodPart first = sample_period(0);
  first.flags = trace::kPeriodFinal;
  writer.write(first);
  writer.write(End{first.end_ns, trace::EndReason::kExec, 0});
  writer.write(sample_period(1));
  writer.write(sample_end(2));
  return sample.take();
}

Bytes make_empty() {
  Sample sample;
  (*sample).write(sample_end(0));
  return sample.take();
}

Bytes make_header_only() { return Sample().take(); }

Bytes make_unknown_frame() {
  Sample sample;
  const Bytes payload = {1, 2, 3};
  (*sample).frame(static_cast<trace::FrameType>(77), payload);
  (*sample).write(sample_period(0));
  (*sample).write(sample_end(1));
  return sample.take();
}

/// As pagetide audit makes it: marked and unmarked writes of every kind.
Bytes make_audited() {
  trace::FileHeader header = sample_header();
  header.checksum_mode = trace::ChecksumMode::kNone;
  Sample sample(header);
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  Mappings mappings = sample_mappings();
  mappings.mappings.insert(
      mappings.mappings.begin() + 1,
      {(kText + 0x10) << 12, 0x2000, 3, 0x10000, "/home/user/bin/sorter"});
  writer.write(mappings);
  writer.write(Regions{
      kSampleStartNs,
      {{trace::RegionKind::kThreadStack, 0x7ffff7080000, 0x10000, 4243, ""},
       {trace::RegionKind::kUnseen, 0x7fff00000000, 0x1000, 0, "a device"}}});
  constexpr auto kSeen = trace::kKernelWritten;
  // Two parts; heap marked in the period after, in the one before, and not at
  // all.
  writer.write(KernelWrites{
      0, false, false, kSampleStartNs + 500 * kMs, {{kText + 0x11, 1, kSeen}}});
  writer.write(KernelWrites{0,
                            true,
                            false,
                            kSampleStartNs + 500 * kMs,
                            {{kHeap, 4, kSeen},
                             {0x7ffff7080, 2, kSeen},
                             {0x7ffff7090, 1, trace::kKernelTouched}}});
  PeriodPart first = sample_period(0);
  first.add_section(
      0, std::vector<GranuleRun>{{kHeap, 2, kW}, {kHeap + 8, 1, kW}});
  writer.write(first);
  writer.write(KernelWrites{1,
                            true,
                            false,
                            kSampleStartNs + 1000 * kMs,
                            {{kHeap + 1, 1, kSeen}, {kStack + 30, 1, kSeen}}});
  PeriodPart second = sample_period(1);
  second.add_section(0, std::vector<GranuleRun>{{kHeap + 2, 1, kW}});
  writer.write(second);
  PeriodPart last = sample_period(2); // without the kernel's account
  last.flags = trace::kPeriodPartial;
  last.add_section(0, std::vector<GranuleRun>{{kHeap + 3, 1, kW}});
  writer.write(last);
  writer.write(sample_end(3));
  return sample.take();
}

/// Periods are missing between those that are there.
Bytes make_missing() {
  Sample sample;
  TraceWriter &writer = *sample;
  writer.write(sample_period(0));
  writer.write(Note{kSampleStartNs + 1, 1, trace::NoteCode::kLost,
                    "periods 1 to 3 were lost"});
  writer.write(sample_period(4));
  writer.write(sample_end(5));
  return sample.take();
}

/// A working set that grows, shrinks and jumps.
Bytes make_long() {
  Sample sample;
  TraceWriter &writer = *sample;
  writer.write(sample_process());
  writer.write(sample_mappings());
  constexpr std::uint64_t kPeriods = 400;
  for (std::uint64_t i = 0; i < kPeriods; ++i) {
    PeriodPart period = sample_period(i);
    const std::uint64_t pages = i < 200    ? 1 + i
                                : i < 300  ? 400 - i
                                : i == 350 ? 500
                                           : 20;
    period.add_section(
        0, std::vector<GranuleRun>{{kText, 2, kR}, {kHeap, pages, kR | kW}});
    writer.write(period);
  }
  writer.write(sample_end(kPeriods));
  return sample.take();
}

Bytes make_unfinished() {
  Sample sample;
  write_basic_periods(*sample);
  return sample.take();
}

Bytes make_cut() {
  Bytes bytes = make_unfinished();
  bytes.resize(bytes.size() - 5);
  return bytes;
}

Bytes make_cut_parts() {
  // Cut behind the third frame, within the period.
  Bytes bytes = make_parts();
  std::size_t at = sizeof(trace::FileHeader);
  for (int frame = 0; frame < 3; ++frame) {
    trace::FrameHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    at += sizeof(header) + header.stored_bytes;
  }
  bytes.resize(at);
  return bytes;
}

Bytes make_damaged() {
  Bytes bytes = make_unfinished();
  bytes[bytes.size() - 5] ^= 0x10;
  return bytes;
}

Bytes make_damaged_header() {
  Bytes bytes = make_basic();
  bytes[30] ^= 1;
  return bytes;
}

Bytes make_other_version() {
  Bytes bytes = make_basic();
  trace::FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.version_major = 2;
  header.hash = header_hash(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

} // namespace

const std::vector<SampleTrace> &sample_traces() {
  static const std::vector<SampleTrace> kSamples = {
      {"basic", "three periods with checksums of every state", make_basic},
      {"tiny", "the example of docs/reference/trace-format.md", make_tiny},
      {"relative", "checksums that do not depend on addresses", make_relative},
      {"threads", "two threads and one without a set of its own", make_threads},
      {"access", "layout access", make_access},
      {"write", "layout write", make_write},
      {"fine", "granules of 64 bytes", make_fine},
      {"parts", "a period in several parts", make_parts},
      {"carried", "carried and may", make_carried},
      {"cuts", "periods that end in cuts, and some that do not", make_cuts},
      {"harvested", "the last periods harvested", make_harvested},
      {"failed-exec", "goes on after an End frame", make_failed_exec},
      {"empty", "no period", make_empty},
      {"header-only", "a header and nothing else", make_header_only},
      {"unknown-frame", "a frame of a type still unknown", make_unknown_frame},
      {"missing", "periods left out", make_missing},
      {"changing", "mappings and threads change", make_changing},
      {"earlier-minor", "the same in format version 1.3", make_earlier_minor},
      {"damaged-inside", "the same with a wrong bit in period 3",
       make_damaged_inside},
      {"audited", "with the kernel's account of writes", make_audited},
      {"busy", "three threads, checksums, 64 periods", make_busy},
      {"busy-child", "its child, killed", make_busy_child},
      {"long", "400 periods", make_long},
      {"sites", "which line did it, by thread", make_sites},
      {"sites-access", "the same under layout access", make_sites_access},
      {"hostile", "all that the format allows and no one wants", make_hostile},
      {"unfinished", "no End frame", make_unfinished},
      {"cut", "ends inside a frame", make_cut},
      {"cut-parts", "ends between the parts of a period", make_cut_parts},
      {"damaged", "a wrong bit in the last frame", make_damaged},
      {"damaged-header", "a wrong bit in the header", make_damaged_header},
      {"other-version", "format version 2", make_other_version},
      {"later-minor", "format version 1.10", make_later_minor},
  };
  return kSamples;
}

Bytes sample_trace(const std::string &name) {
  for (const SampleTrace &sample : sample_traces())
    if (name == sample.name)
      return sample.make();
  throw Failure("{}: there is no such sample", name);
}

trace::FileHeader sample_header() {
  trace::FileHeader header = {};
  header.layout = static_cast<std::uint32_t>(abi::Layout::kRw);
  header.cell_shift = 12;
  header.granule_shift = 12;
  header.checksum_mode = trace::ChecksumMode::kWritten;
  header.unstable_policy = trace::UnstablePolicy::kFlag;
  header.pid = 4242;
  header.parent_pid = 4200;
  header.page_bytes = 4096;
  header.monotonic_ns = kSampleStartNs;
  header.realtime_ns = 1'763'652'721'000'000'000;
  header.period_ns = 500 * kMs;
  return finished_header(header);
}

trace::FileHeader per_thread_header() {
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderPerThread;
  return header;
}

PeriodPart sample_period(std::uint64_t index) {
  PeriodPart period;
  period.index = index;
  period.start_ns = kSampleStartNs + index * 500 * kMs;
  period.end_ns = period.start_ns + 500 * kMs;
  return period;
}

void add_stable_checksums(PeriodPart &period, unsigned granule_shift,
                          const std::vector<GranuleRun> &runs) {
  for (const GranuleRun &run : runs) {
    period.checksum_runs.push_back(
        {run.first, run.count,
         static_cast<unsigned>(trace::ChecksumState::kStable)});
    for (std::uint64_t granule = run.first; granule < run.end(); ++granule) {
      const std::uint64_t hash = hash_bytes(&granule, sizeof(granule));
      period.hashes.push_back(hash);
      period.combined += combined_term(granule << granule_shift, hash);
      ++period.stable;
    }
  }
}

void write_big_trace(const std::string &path, std::uint64_t bytes) {
  UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd)
    throw Failure("{}: cannot be made", path);
  FdSink sink(fd.get(), path);
  TraceWriter writer(sink, Compression::kNone);
  writer.header(sample_header());
  writer.write(sample_process());
  writer.write(sample_mappings());
  // Scattered single granules, the dearest there is for a reader, in another
  // place each period.
  constexpr std::uint64_t kRuns = 1 << 20;
  std::uint64_t written = 0;
  std::uint64_t index = 0;
  for (; written < bytes; ++index) {
    PeriodPart period = sample_period(index);
    std::vector<GranuleRun> runs;
    runs.reserve(kRuns);
    std::uint64_t granule = index * 7919;
    std::uint64_t state = index + 1;
    for (std::uint64_t i = 0; i < kRuns; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      granule += 2 + (state >> 61);
      runs.push_back({granule, 1, i % 3 == 0 ? unsigned{kR} : kR | kW});
    }
    period.add_section(0, runs);
    period.context = 1; // the list of mappings
    for (const Bytes &payload : encode_period(period)) {
      writer.frame(trace::FrameType::kPeriod, payload);
      written += payload.size();
    }
  }
  writer.write(sample_end(index));
}

} // namespace pagetide::tools

//===- large_trace.cpp - Writes a trace as large as a long run's ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   pagetide-large-trace KIND BYTES FILE
//
//   process    recorded per process
//   scattered  the same, and no page has its neighbour beside it: the dearest
//              there is for a reader
//   threads    recorded per thread, with four of them
//   sites      recorded per thread, of a program with a site layout
//   crowd      recorded per thread, with 64 that all go to the same pages in
//   any
//              order: nearly every set of threads has a page of its own
//
// The file has about BYTES and is the same on every machine. The program prints
// how many rows it has, that is pages summed over threads and periods, as JSON.
//
// The program it seems to be of is a server with 4 GiB: in each period it works
// on its hottest pages, goes on through its heap, and serves requests from
// anywhere. Six of ten pages are written, and have a checksum each. Checksums
// are random bits, as those of pages that change are.

#include "support/failure.h"
#include "support/unique_fd.h"
#include "trace/hash.h"
#include "trace/runs.h"
#include "trace/trace_writer.h"

#include <fcntl.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace pagetide;
using namespace pagetide::tools;

namespace {

constexpr std::uint64_t kPeriodNs = 10'000'000;
constexpr std::uint64_t kStartNs = 1'000'000'000;
constexpr std::uint32_t kPid = 1000;
constexpr std::uint32_t kSites = 400;
constexpr unsigned kPageShift = 12;

constexpr std::uint64_t kHeap = 0x555555600;
constexpr std::uint64_t kHeapPages = 1 << 19;
constexpr std::uint64_t kHotPages = 1 << 13;
constexpr std::uint64_t kWindowPages = 1 << 11;
/// So that all threads come to all pages, however large the trace is: 200,000
/// pages in 58 MiB.
constexpr std::uint64_t kCrowdBytesPerPage = 300;
/// That a thread of a crowd touches in a period.
constexpr std::uint64_t kCrowdPagesAtOnce = 266;
constexpr std::uint64_t kArena = 0x7f0000000;
constexpr std::uint64_t kArenaPages = 1 << 19;
constexpr std::uint64_t kLibrary = 0x7ffff7c00;
constexpr std::uint64_t kLibraryPages = 480;
constexpr std::uint64_t kStack = 0x7ffffffde;
constexpr std::uint64_t kStackPages = 33;

/// How a thread goes through a part of the memory: stretches of pages with gaps
/// between them, both of random lengths.
struct Walk {
  std::uint64_t first;
  std::uint64_t pages;
  std::uint64_t max_gap;
  std::uint64_t max_run;
  std::uint64_t min_gap = 0;
};

struct Kind {
  std::string_view name;
  std::uint32_t threads; ///< 0: the recording is per process
  bool has_sites = false;
  bool is_scattered = false;
  bool is_crowd = false;
};
constexpr Kind kKinds[] = {
    {.name = "process", .threads = 0},
    {.name = "scattered", .threads = 0, .is_scattered = true},
    {.name = "threads", .threads = 4},
    {.name = "sites", .threads = 4, .has_sites = true},
    {.name = "crowd", .threads = 64, .is_crowd = true},
};

using Random = std::mt19937_64;

/// From 1 to `most`. The same with every C++ library, unlike a distribution's.
std::uint64_t up_to(Random &random, std::uint64_t most) {
  return 1 + random() % most;
}

unsigned random_flags(Random &random) {
  const std::uint64_t sort = random() % 100;
  if (sort < 45)
    return trace::kRunRead | trace::kRunWritten;
  if (sort < 60)
    return trace::kRunWritten;
  return sort < 99 ? unsigned{trace::kRunRead} : unsigned{trace::kRunMayRead};
}

Walk scattered(Walk walk) {
  // As many pages as before: a stretch and the gap behind it, divided by the
  // stretch's pages.
  walk.min_gap = 1;
  walk.max_gap = 1 + 2 * walk.max_gap / (walk.max_run + 1);
  walk.max_run = 1;
  return walk;
}

void add_walk(Random &random, const Walk &walk, std::vector<GranuleRun> &runs) {
  const std::uint64_t end = walk.first + walk.pages;
  for (std::uint64_t at = walk.first + up_to(random, walk.max_gap) - 1;
       at < end;) {
    const std::uint64_t count = std::min(up_to(random, walk.max_run), end - at);
    append_run(runs, at, count, random_flags(random));
    at += count + walk.min_gap + up_to(random, walk.max_gap) - 1;
  }
}

std::vector<GranuleRun> runs_in_crowd(Random &random, std::uint64_t bytes) {
  const std::uint64_t pages = std::min(bytes / kCrowdBytesPerPage, kHeapPages);
  const std::uint64_t gap =
      std::max<std::uint64_t>(1, 2 * pages / kCrowdPagesAtOnce);
  std::vector<GranuleRun> runs;
  add_walk(random, {kHeap, pages, gap, 1}, runs);
  return runs;
}

/// What a thread does in a period: its share of the work.
std::vector<GranuleRun> runs_of(Random &random, const Kind &kind,
                                std::uint64_t index, std::uint64_t thread) {
  const std::uint64_t share = std::max(kind.threads, 1u);
  const std::uint64_t steps = kHeapPages - kHotPages - kWindowPages;
  const std::uint64_t window =
      kHotPages + (index * 64 + thread * (steps / share)) % steps;
  const Walk walks[] = {
      {kHeap, kHotPages, share * 2, 12},
      {kHeap + window, kWindowPages / share, 8, 64},
      {kHeap + window + kWindowPages, steps - (window - kHotPages), share * 512,
       8},
      {kArena, kArenaPages, share * 512, 8},
      {kLibrary, kLibraryPages, 64, 4},
      {kStack + 1 + thread * 4, 4, 2, 2},
  };
  std::vector<GranuleRun> runs;
  for (const Walk &walk : walks)
    add_walk(random, kind.is_scattered ? scattered(walk) : walk, runs);
  return runs;
}

void add_checksums(Random &random, PeriodPart &period) {
  std::vector<GranuleRun> scratch;
  for (const GranuleRun &run : union_of_sections(period, scratch)) {
    if (!(run.flags & trace::kRunWritten))
      continue;
    const bool is_stable = random() % 64 != 0;
    const auto state = is_stable ? trace::ChecksumState::kStable
                                 : trace::ChecksumState::kUnstable;
    std::vector<ChecksumRun> &sums = period.checksum_runs;
    if (!sums.empty() && sums.back().end() == run.first &&
        sums.back().state == static_cast<unsigned>(state))
      sums.back().count += run.count;
    else
      sums.push_back({run.first, run.count, static_cast<unsigned>(state)});
    if (!is_stable) {
      period.left_out += run.count;
      continue;
    }
    for (std::uint64_t page = run.first; page < run.end(); ++page) {
      period.hashes.push_back(random());
      period.combined +=
          combined_term(page << kPageShift, period.hashes.back());
    }
    period.stable += run.count;
  }
}

SiteTablePart site_table() {
  SiteTablePart table;
  table.strings = {"src/server.c"};
  for (std::uint32_t i = 0; i < kSites; ++i) {
    table.strings.push_back(fmt::format("serve_{}", i));
    table.sites.push_back({.id = i + 1,
                           .kind = trace::kSiteReads | trace::kSiteWrites,
                           .place = {i + 1, 0, i + 10, 5},
                           .first_caller = 0,
                           .caller_count = 0});
  }
  return table;
}

/// A site for each run, of those that work on that part of the memory.
PeriodSites sites_of(const PeriodPart &period) {
  PeriodSites sites;
  sites.index = period.index;
  sites.start_ns = period.start_ns;
  sites.end_ns = period.end_ns;
  for (const PeriodPart::Section &section : period.sections) {
    std::vector<SiteRun> runs;
    for (const GranuleRun &run : period.runs_of(section)) {
      const auto site = static_cast<std::uint32_t>(run.first / 64 % kSites + 1);
      const bool is_read = run.flags & trace::kRunRead;
      const bool is_written = run.flags & trace::kRunWritten;
      if (is_read || is_written)
        runs.push_back(
            {run.first, run.count, is_read ? site : 0, is_written ? site : 0});
    }
    sites.add_section(section.tid, runs);
  }
  return sites;
}

trace::FileHeader header_of(const Kind &kind) {
  trace::FileHeader header = {};
  header.layout = static_cast<std::uint8_t>(abi::Layout::kRw);
  header.checksum_mode = kind.is_crowd ? trace::ChecksumMode::kNone
                                       : trace::ChecksumMode::kWritten;
  header.cell_shift = kPageShift;
  header.granule_shift = kPageShift;
  header.flags = (kind.threads != 0 ? trace::kHeaderPerThread : 0u) |
                 (kind.has_sites ? trace::kHeaderSites : 0u);
  header.pid = kPid;
  header.page_bytes = 1u << kPageShift;
  header.monotonic_ns = kStartNs;
  header.period_ns = kPeriodNs;
  return header;
}

void write_beginning(TraceWriter &writer, const Kind &kind) {
  writer.header(finished_header(header_of(kind)));
  writer.write(Process{"/usr/bin/server", {"server"}, "", "marks", "0"});
  writer.write(Mappings{
      kStartNs,
      {{kHeap << 12, kHeapPages << 12, 3, 0, "[heap]"},
       {kArena << 12, kArenaPages << 12, 3, 0, ""},
       {kLibrary << 12, kLibraryPages << 12, 5, 0, "/usr/lib/libc.so.6"},
       {kStack << 12, kStackPages << 12, 3, 0, "[stack]"}}});
  Threads records;
  for (std::uint32_t i = 0; i < kind.threads; ++i)
    records.records.push_back({trace::ThreadEvent::kStart, kPid + i, kStartNs,
                               fmt::format("worker {}", i)});
  writer.write(records);
  if (kind.has_sites)
    writer.write(site_table());
}

void write_trace(const Kind &kind, std::uint64_t bytes,
                 const std::string &path) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd)
    throw Failure("{}: cannot be made", path);
  FdSink sink(fd.get(), path);
  TraceWriter writer(sink);
  write_beginning(writer, kind);
  Random random(1);
  std::uint64_t rows = 0;
  std::uint64_t index = 0;
  for (; static_cast<std::uint64_t>(::lseek(fd.get(), 0, SEEK_CUR)) < bytes;
       ++index) {
    PeriodPart period;
    period.index = index;
    period.start_ns = kStartNs + index * kPeriodNs;
    period.end_ns = period.start_ns + kPeriodNs;
    for (std::uint32_t thread = 0; thread < std::max(kind.threads, 1u);
         ++thread)
      period.add_section(kind.threads != 0 ? kPid + thread : 0,
                         kind.is_crowd ? runs_in_crowd(random, bytes)
                                       : runs_of(random, kind, index, thread));
    if (!kind.is_crowd)
      add_checksums(random, period);
    for (const GranuleRun &run : period.runs)
      rows += run.count;
    if (kind.has_sites)
      writer.write(sites_of(period));
    writer.write(period);
  }
  writer.write(End{kStartNs + index * kPeriodNs});
  fmt::print("{{\"rows\": {}, \"periods\": {}}}\n", rows, index);
}

} // namespace

int main(int argc, char **argv) {
  const std::string_view name = argc == 4 ? argv[1] : "";
  const auto *const kind = std::ranges::find(kKinds, name, &Kind::name);
  if (kind == std::end(kKinds)) {
    fmt::print(stderr, "usage: pagetide-large-trace "
                       "process|scattered|threads|sites|crowd "
                       "BYTES FILE\n");
    return 2;
  }
  try {
    write_trace(*kind, std::stoull(argv[2]), argv[3]);
  } catch (const std::exception &problem) {
    fmt::print(stderr, "pagetide-large-trace: {}\n", problem.what());
    return 1;
  }
  return 0;
}

//===- run_traces.cpp - Traces of runs as large as users have -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "run_traces.h"

#include "sample_traces.h"
#include "support/failure.h"
#include "support/unique_fd.h"

#include <fcntl.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pagetide::tools {

namespace {

constexpr std::uint64_t kPeriodNs = 10'000'000;
constexpr std::uint32_t kThreads = 4;
constexpr std::uint64_t kLibraryPages = 64;
constexpr auto kRead = trace::kRunRead;
constexpr auto kBoth = trace::kRunRead | trace::kRunWritten;

UniqueFd create(const std::string &path) {
  UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd)
    throw Failure("{}: cannot be made", path);
  return fd;
}

trace::FileHeader run_header() {
  trace::FileHeader header = sample_header();
  header.flags |= trace::kHeaderPerThread;
  header.period_ns = kPeriodNs;
  return finished_header(header);
}

/// Where the pages of the run are: their n-th one is at granule_at(n).
class RunMemory {
public:
  explicit RunMemory(std::uint64_t pages) {
    add("[heap]", 0x555555600, pages / 2);
    add("[anonymous]", 0x7f0000000, pages / 4);
    for (std::uint64_t i = 0; i < 20; ++i)
      add(fmt::format("/usr/lib/x86_64-linux-gnu/lib{}.so", i),
          0x7f8000000 + i * 0x10000, kLibraryPages);
    const std::uint64_t rest = pages - std::min(pages, count_);
    add("[anonymous]", 0x7fa000000, std::max<std::uint64_t>(rest, 1));
  }
  const Mappings &mappings() const { return mappings_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t granule_at(std::uint64_t number) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), number);
    const auto i = static_cast<std::size_t>(after - starts_.begin()) - 1;
    return (mappings_.mappings[i].start >> 12) + number - starts_[i];
  }

private:
  void add(const std::string &name, std::uint64_t first, std::uint64_t pages) {
    starts_.push_back(count_);
    count_ += pages;
    mappings_.mappings.push_back({first << 12, pages << 12, 3, 0, name});
  }

  Mappings mappings_{kSampleStartNs, {}};
  std::vector<std::uint64_t> starts_; ///< numbers of the mappings' first pages
  std::uint64_t count_ = 0;
};

class Random {
public:
  std::uint64_t next(std::uint64_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % below;
  }

private:
  std::uint64_t state_ = 1;
};

/// What one thread did in a period, as runs.
std::vector<GranuleRun> runs_of(const RunMemory &memory, Random &random,
                                std::uint64_t index, std::uint64_t periods,
                                std::uint32_t thread, std::uint64_t scattered) {
  std::vector<std::pair<std::uint64_t, unsigned>> numbers;
  const std::uint64_t share = memory.count() / kThreads;
  // All pages of the thread's share in the course of the run.
  const std::uint64_t from = thread * share + index * share / periods;
  const std::uint64_t end =
      thread * share + (index + 1) * share / periods + scattered + 10;
  for (std::uint64_t i = from; i < end; ++i)
    numbers.emplace_back(std::min(i, memory.count() - 1), kBoth);
  for (std::uint64_t i = 0; i < 4 * scattered; ++i)
    numbers.emplace_back(std::min(thread * 500 + i, memory.count() - 1),
                         i % 4 == 0 ? kBoth : unsigned{kRead});
  for (std::uint64_t i = 0; i < scattered; ++i)
    numbers.emplace_back(random.next(memory.count()),
                         i % 3 == 0 ? kBoth : unsigned{kRead});
  // Written before read: what follows of the same page adds nothing.
  std::sort(numbers.begin(), numbers.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::vector<GranuleRun> runs;
  for (const auto &[number, flags] : numbers) {
    const std::uint64_t granule = memory.granule_at(number);
    if (!runs.empty() && runs.back().end() > granule)
      continue;
    if (!runs.empty() && runs.back().end() == granule &&
        runs.back().flags == flags)
      runs.back().count += 1;
    else
      runs.push_back({granule, 1, flags});
  }
  return runs;
}

} // namespace

void write_run_trace(const std::string &path, std::uint64_t periods,
                     std::uint64_t pages, std::uint64_t scattered) {
  const UniqueFd fd = create(path);
  FdSink sink(fd.get(), path);
  TraceWriter writer(sink);
  writer.header(run_header());
  writer.write(Process{"/usr/bin/long-run", {"long-run"}, "", "marks", "0"});
  const RunMemory memory(pages);
  writer.write(memory.mappings());
  Threads threads;
  for (std::uint32_t i = 0; i < kThreads; ++i)
    threads.records.push_back({trace::ThreadEvent::kStart, 100 + i,
                               kSampleStartNs, fmt::format("worker {}", i)});
  writer.write(threads);
  Random random;
  for (std::uint64_t index = 0; index < periods; ++index) {
    PeriodPart period;
    period.index = index;
    period.start_ns = kSampleStartNs + index * kPeriodNs;
    period.end_ns = period.start_ns + kPeriodNs;
    std::vector<GranuleRun> summed;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      const std::vector<GranuleRun> runs =
          runs_of(memory, random, index, periods, thread, scattered);
      period.add_section(100 + thread, runs);
      if (summed.empty())
        summed.assign(runs.begin(), runs.begin() + std::min<std::ptrdiff_t>(
                                                       20, std::ssize(runs)));
    }
    add_stable_checksums(period, 12, summed);
    for (std::uint64_t &hash : period.hashes)
      hash += random.next(3);
    writer.write(period);
  }
  End end;
  end.time_ns = kSampleStartNs + periods * kPeriodNs;
  writer.write(end);
}

void write_many_traces(const std::string &path, std::uint32_t processes) {
  for (std::uint32_t i = 0; i < processes; ++i) {
    trace::FileHeader header = sample_header();
    header.pid += i;
    header.period_ns = kPeriodNs;
    header.monotonic_ns += i * kPeriodNs;
    const std::string name =
        i == 0 ? path : fmt::format("{}.{}", path, header.pid);
    const UniqueFd fd = create(name);
    FdSink sink(fd.get(), name);
    TraceWriter writer(sink);
    writer.header(finished_header(header));
    writer.write(Process{"/home/user/bin/sorter",
                         {"./sorter", fmt::format("part-{}", i)},
                         "",
                         "marks",
                         "0"});
    writer.write(Mappings{header.monotonic_ns,
                          {{0x555555600000, 0x1000000, 3, 0, "[heap]"}}});
    for (std::uint64_t index = 0; index < 3; ++index) {
      PeriodPart period;
      period.index = index;
      period.start_ns = header.monotonic_ns + index * kPeriodNs;
      period.end_ns = period.start_ns + kPeriodNs;
      period.add_section(0, std::vector<GranuleRun>{
                                {0x555555600 + index, 2, kRead},
                                {0x555555700, processes - i + index, kBoth}});
      writer.write(period);
    }
    End end;
    end.time_ns = header.monotonic_ns + 3 * kPeriodNs;
    writer.write(end);
  }
}

void write_markup_trace(const std::string &path) {
  const UniqueFd fd = create(path);
  FdSink sink(fd.get(), path);
  TraceWriter writer(sink);
  const std::string script = "</script><script>window.harmed=1</script>";
  writer.header(run_header());
  writer.write(Process{"/x/<img src=q onerror=window.harmed=2>",
                       {"a", script, "<!--<script>", "'\"`${1}"},
                       "",
                       "marks",
                       "0"});
  writer.write(Mappings{kSampleStartNs,
                        {{0x10000000, 0x10000, 3, 0, "/lib/" + script},
                         {0x20000000, 0x10000, 3, 0, "<!--<script>"},
                         {0x30000000, 0x10000, 3, 0, "\xff\xfe<b>\xe2\x80\xa8"},
                         {0x40000000, 0x10000, 3, 0, "__proto__"}}});
  writer.write(
      Threads{{{trace::ThreadEvent::kStart, 100, kSampleStartNs,
                "<svg onload=window.harmed=3>"},
               {trace::ThreadEvent::kStart, 101, kSampleStartNs, script}}});
  for (std::uint64_t index = 0; index < 3; ++index) {
    PeriodPart period = sample_period(index);
    period.add_section(100, std::vector<GranuleRun>{{0x10000, 4, kBoth},
                                                    {0x20000, 4, kRead},
                                                    {0x30000, 4, kBoth}});
    period.add_section(
        101, std::vector<GranuleRun>{{0x10002, 4, kBoth}, {0x40000, 4, kRead}});
    writer.write(period);
  }
  writer.write(End{});
}

} // namespace pagetide::tools

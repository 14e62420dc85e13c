//===- runtime_benchmarks.cpp - What a period's end is made of ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   snapshot/LAYOUT/MARKS/SHAPE/PAGES   takes the marks of PAGES pages out of
//                                       the shadow, as a period's end does
//   idle/SHAPE/PAGES                    looks at the shadow of PAGES pages that
//                                       were touched once and are not now
//   page_set/...                        makes runs of pages of what was taken
//   encode/SHAPE/PAGES                  makes a trace's payload of runs
//   checksum/SHAPE/PAGES                reads and hashes pages
//   memcpy/BYTES                        what memory gives, for comparison
//
// Shapes: `dense` pages lie side by side; of `scattered` ones each has a cache
// line of shadow to itself. `other_cpu`: the marks were made on another
// processor, and its caches have them.

#include "arch/shadow_base.h"
#include "engines/marks_engine.h"
#include "periods/settled.h"
#include "periods/staging.h"
#include "platform/own_memory.h"
#include "platform/page_vec.h"
#include "shadow/marking.h"
#include "shadow/shadow.h"
#include "shadow/snapshot.h"
#include "threads/service_thread.h"
#include "trace/trace_encode.h"

#include <benchmark/benchmark.h>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace pagetide;

namespace {

constexpr unsigned kPageShift = 12;
/// Far from everything that the process has mapped.
constexpr uptr kFirstPage = (uptr{1} << 44) >> kPageShift;
/// Pages between two scattered ones: they are on cache lines of their own, in
/// every layout.
constexpr uptr kScattered = 67;

enum Marks { kReads = 1, kWrites = 2 };

/// How marks lie in the shadow.
struct Pattern {
  abi::Layout layout;
  bool near;
  unsigned marks;
  uptr stride; ///< in pages
  uptr pages;
};

[[noreturn]] void fail(const char *what) {
  std::perror(what);
  std::exit(1);
}

//===- The process that is measured ---------------------------------------===//

/// Gives the process an empty shadow of that layout. The recorder has collected
/// one period of it.
void begin(const Pattern &pattern) {
  if (shadow.control_ready != 0) {
    Unmap(reinterpret_cast<void *>(shadow.slot_base[kFirstSlot]),
          shadow.slot_bytes);
    Unmap(shadow.header, ControlBytes());
    shadow = {};
  }
  const u32 granule_shift = kPageShift;
  CreateShadow({abi::kVersion, static_cast<u32>(pattern.layout),
                pattern.near ? abi::kNearCellShift : granule_shift,
                granule_shift, 0});
  // The recorder's descriptors are its own: there the memfd has number 0.
  if (::dup2(shadow.fd, RecorderMemfd()) < 0)
    fail("dup2");
  ::close(shadow.fd);
  ForgetWriters();
  ResetStaging(0, 0);
  if (const char *missing = MarksEngine().start()) {
    std::fprintf(stderr, "no shadow: the system lacks %s\n", missing);
    std::exit(1);
  }
  shadow.header->recording = 1;
}

/// As a program that touches those pages does.
void mark(const Pattern &pattern) {
  for (uptr i = 0; i < pattern.pages; ++i) {
    const uptr address = (kFirstPage + i * pattern.stride) << kPageShift;
    if (pattern.near) {
      // Some fields on each page.
      for (uptr field = address; field < address + 4096; field += 1024) {
        const uptr index = field >> abi::kNearCellShift;
        if (pattern.marks & kReads)
          StoreCell(ReadCellOffset(index), abi::kCellNear);
        if (pattern.marks & kWrites)
          StoreCell(WriteCellOffset(index), abi::kCellNear);
      }
      continue;
    }
    if (pattern.marks & kReads)
      MarkRead(address, 1);
    if (pattern.marks & kWrites)
      MarkWrite(address, 1);
  }
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (::sched_setaffinity(0, sizeof(set), &set) != 0)
    fail("sched_setaffinity");
}

/// The same on another processor. The new thread inherits this one's shadow.
void mark_on_other_cpu(const Pattern &pattern) {
  std::thread([&] {
    pin(1);
    mark(pattern);
  }).join();
}

/// Takes all marks, and ends the period.
PeriodEntry &collect() {
  if (!MarksEngine().collect(true))
    fail("the staging area is full");
  return ClosePeriod(MonotonicNs(), 0, 0);
}

/// What the recorder does at each period's end, outside of what is measured.
void forget(const PeriodEntry &period) {
  CarryUnsettled(0);
  ForgetWriters();
  ReleasePeriod(period);
}

/// Processor time: that of a busy machine's other programs does not count.
double cpu_seconds() {
  timespec t = {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
    fail("clock_gettime");
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <typename Step> double seconds(Step step) {
  const double start = cpu_seconds();
  step();
  return cpu_seconds() - start;
}

void per_page(benchmark::State &state, uptr pages) {
  state.counters["per_page"] =
      benchmark::Counter(static_cast<double>(pages),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

/// Ends the benchmark with an error where a set does not hold the pages marked:
/// the time of another set says nothing.
bool is_whole(benchmark::State &state, const Pattern &pattern,
              const PageSet &set) {
  uptr pages = 0;
  for (const GranuleRun &run : set.runs)
    pages += run.length;
  if (pages == pattern.pages)
    return true;
  state.SkipWithError("the page set is not what was marked");
  return false;
}

//===- Benchmarks ---------------------------------------------------------===//

void snapshot(benchmark::State &state, const Pattern &pattern, bool other_cpu) {
  begin(pattern);
  PageSet set;
  for (auto _ : state) {
    if (other_cpu)
      mark_on_other_cpu(pattern);
    else
      mark(pattern);
    PeriodEntry *period = nullptr;
    state.SetIterationTime(seconds([&] { period = &collect(); }));
    if (set.runs.empty())
      BuildPageSet(*period, false, nullptr, set);
    forget(*period);
  }
  is_whole(state, pattern, set);
  set.runs.Free();
  set.sections.Free();
  per_page(state, pattern.pages);
}

void idle(benchmark::State &state, const Pattern &pattern) {
  begin(pattern);
  mark(pattern);
  forget(collect());
  for (auto _ : state) {
    PeriodEntry *period = nullptr;
    state.SetIterationTime(seconds([&] { period = &collect(); }));
    forget(*period);
  }
  per_page(state, pattern.pages);
}

void page_set(benchmark::State &state, const Pattern &pattern) {
  begin(pattern);
  mark(pattern);
  const PeriodEntry &period = collect();
  PageSet set;
  for (auto _ : state)
    BuildPageSet(period, false, nullptr, set);
  is_whole(state, pattern, set);
  set.runs.Free();
  set.sections.Free();
  per_page(state, pattern.pages);
}

void encode(benchmark::State &state, const Pattern &pattern) {
  begin(pattern);
  mark(pattern);
  PeriodResult result = {};
  result.entry = collect();
  BuildPageSet(result.entry, false, nullptr, result.set);
  PageVec<u8> part;
  uptr bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (PeriodEncoder encoder(result, 0); encoder.NextPart(part);)
      bytes += part.size();
  }
  is_whole(state, pattern, result.set);
  state.counters["bytes"] = static_cast<double>(bytes);
  part.Free();
  result.set.runs.Free();
  result.set.sections.Free();
  per_page(state, pattern.pages);
}

void checksum(benchmark::State &state, uptr stride, uptr pages) {
  begin({abi::Layout::kRw, false, kWrites, 1, 0});
  const uptr bytes = pages * stride << kPageShift;
  void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fail("mmap");
  // Transparent huge pages would make touching one page touch 512.
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  const uptr first = reinterpret_cast<uptr>(memory) >> kPageShift;
  for (uptr i = 0; i < pages; ++i)
    std::memset(reinterpret_cast<void *>((first + i * stride) << kPageShift),
                static_cast<int>(i), 4096);
  PageVec<PageHash> hashes;
  for (auto _ : state) {
    hashes.clear();
    for (uptr i = 0; i < pages; ++i)
      hashes.push_back({first + i * stride, 0, ChecksumState::kStable});
    HashPages(GetTidRaw(), hashes);
  }
  if (Combine(hashes).stable != pages)
    state.SkipWithError("pages could not be read");
  hashes.Free();
  ::munmap(memory, bytes);
  state.SetBytesProcessed(static_cast<int64_t>(
      static_cast<uptr>(state.iterations()) * pages << kPageShift));
}

void copy(benchmark::State &state, uptr bytes) {
  std::vector<char> from(bytes, 1), to(bytes, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(
      static_cast<int64_t>(static_cast<uptr>(state.iterations()) * bytes));
}

void add_snapshots() {
  struct Kind {
    const char *name;
    abi::Layout layout;
    bool near;
    unsigned marks;
  };
  constexpr Kind kKinds[] = {
      {"rw/read", abi::Layout::kRw, false, kReads},
      {"rw/read_and_written", abi::Layout::kRw, false, kReads | kWrites},
      {"access/accessed", abi::Layout::kAccess, false, kReads},
      {"near_rw/read_and_written", abi::Layout::kRw, true, kReads | kWrites},
  };
  for (const Kind &kind : kKinds)
    for (const auto &[shape, stride] :
         {std::pair{"dense", uptr{1}}, std::pair{"scattered", kScattered}})
      for (const uptr pages : {1000, 10000, 100000}) {
        const Pattern pattern = {kind.layout, kind.near, kind.marks, stride,
                                 pages};
        const std::string name =
            std::string(kind.name) + "/" + shape + "/" + std::to_string(pages);
        auto add = [](const std::string &title,
                      const std::function<void(benchmark::State &)> &run) {
          benchmark::RegisterBenchmark(title.c_str(), run)
              ->Unit(benchmark::kMicrosecond);
        };
        benchmark::RegisterBenchmark(
            ("snapshot/" + name).c_str(),
            [=](benchmark::State &state) { snapshot(state, pattern, false); })
            ->Unit(benchmark::kMicrosecond)
            ->UseManualTime();
        if (pages == 100000 && stride == 1 &&
            std::thread::hardware_concurrency() > 1)
          benchmark::RegisterBenchmark(
              ("snapshot/" + name + "/other_cpu").c_str(),
              [=](benchmark::State &state) { snapshot(state, pattern, true); })
              ->Unit(benchmark::kMicrosecond)
              ->UseManualTime();
        if (kind.marks != (kReads | kWrites) || kind.near)
          continue;
        add("page_set/" + name,
            [=](benchmark::State &state) { page_set(state, pattern); });
        add("encode/" + name,
            [=](benchmark::State &state) { encode(state, pattern); });
      }
}

void add_all() {
  add_snapshots();
  for (const auto &[shape, stride, pages] :
       {std::tuple{"dense", uptr{1}, uptr{100000}},
        {"dense", 1, 1000000},
        {"dense", 1, 10000000}, // 40 GB
        {"scattered", 2048, 5000}})
    benchmark::RegisterBenchmark(
        ("idle/" + std::string(shape) + "/" + std::to_string(pages)).c_str(),
        [=](benchmark::State &state) {
          idle(state, {abi::Layout::kRw, false, kWrites, stride, pages});
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseManualTime();
  for (const auto &[shape, stride] :
       {std::pair{"dense", uptr{1}}, std::pair{"scattered", uptr{7}}})
    for (const uptr pages : {100, 10000})
      benchmark::RegisterBenchmark(
          ("checksum/" + std::string(shape) + "/" + std::to_string(pages))
              .c_str(),
          [=](benchmark::State &state) { checksum(state, stride, pages); })
          ->Unit(benchmark::kMicrosecond);
  for (const uptr pages : {100, 10000})
    benchmark::RegisterBenchmark(
        ("memcpy/" + std::to_string(pages << kPageShift)).c_str(),
        [=](benchmark::State &state) { copy(state, pages << kPageShift); })
        ->Unit(benchmark::kMicrosecond);
}

} // namespace

int main(int argc, char **argv) {
  // Standard input's number becomes the recorder's memfd.
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  if (std::thread::hardware_concurrency() > 1)
    pin(0);
  add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

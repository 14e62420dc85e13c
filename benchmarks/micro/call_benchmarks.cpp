//===- call_benchmarks.cpp - What a program calls, with the runtime -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked twice: with libpagetide.so, where the process records (periods that it
// ends itself, no trace), and without it, where the same calls are plain ones.
//
//   memcpy/BYTES, strlen/BYTES   intercepted calls
//   thread                       a thread's start and end, awaited
//   mark_read                    pagetide_mark_read() of eight bytes
//   period_end/PAGES             pagetide_period_end() with PAGES marked pages
//   period_end/threads/N         the same with no page and N sleeping threads

#include "pagetide/pagetide.h"

#include <benchmark/benchmark.h>

#include <pthread.h>
#include <sys/mman.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Called through these the compiler cannot know what they do, so that it
/// expands nothing in place.
void *(*volatile memcpy_called)(void *, const void *,
                                std::size_t) = std::memcpy;
std::size_t (*volatile strlen_called)(const char *) = std::strlen;

void memcpy_of(benchmark::State &state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<char> from(bytes, 1), to(bytes, 2);
  for (auto _ : state)
    benchmark::DoNotOptimize(memcpy_called(to.data(), from.data(), bytes));
}
BENCHMARK(memcpy_of)->Name("memcpy")->Arg(64)->Arg(4096)->Arg(1 << 20);

void strlen_of(benchmark::State &state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state)
    benchmark::DoNotOptimize(strlen_called(text.c_str()));
}
BENCHMARK(strlen_of)->Name("strlen")->Arg(64)->Arg(4096);

void thread(benchmark::State &state) {
  for (auto _ : state) {
    pthread_t id = {};
    if (pthread_create(
            &id, nullptr, [](void *p) { return p; }, nullptr) != 0 ||
        pthread_join(id, nullptr) != 0) {
      state.SkipWithError("no thread can be made");
      return;
    }
  }
}
BENCHMARK(thread)->Unit(benchmark::kMicrosecond)->UseRealTime();

void mark_read(benchmark::State &state) {
  char data[8] = {};
  for (auto _ : state)
    pagetide_mark_read(data, sizeof(data));
}

void period_end(benchmark::State &state) {
  const std::size_t bytes = static_cast<std::size_t>(state.range(0)) << 12;
  void *memory = ::mmap(nullptr, bytes == 0 ? 4096 : bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (auto _ : state) {
    state.PauseTiming();
    pagetide_mark_written(memory, bytes);
    state.ResumeTiming();
    if (pagetide_period_end() != PAGETIDE_OK)
      state.SkipWithError("the period could not be ended");
  }
  ::munmap(memory, bytes == 0 ? 4096 : bytes);
}

/// Threads that wait until they are to end.
class Sleepers {
public:
  explicit Sleepers(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_; });
      });
  }
  ~Sleepers() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    for (std::thread &thread : threads_)
      thread.join();
  }
  Sleepers(const Sleepers &) = delete;
  Sleepers &operator=(const Sleepers &) = delete;

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

void period_end_with_threads(benchmark::State &state) {
  const Sleepers sleepers(static_cast<int>(state.range(0)));
  for (auto _ : state)
    if (pagetide_period_end() != PAGETIDE_OK)
      state.SkipWithError("the period could not be ended");
}

void record() {
  pagetide_config config = {};
  config.size = sizeof(config);
  const int status = pagetide_start(&config);
  if (status != PAGETIDE_OK) {
    std::fprintf(stderr, "cannot record: %s\n", pagetide_status_string(status));
    std::exit(1);
  }
  BENCHMARK(mark_read);
  BENCHMARK(period_end)
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime()
      ->Arg(0)
      ->Arg(10)
      ->Arg(1000)
      ->Arg(100000);
  BENCHMARK(period_end_with_threads)
      ->Name("period_end/threads")
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime()
      ->Arg(16)
      ->Arg(128);
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  if (pagetide_present())
    record();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

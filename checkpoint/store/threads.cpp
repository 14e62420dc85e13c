//===- threads.cpp - Threads of our own, within a program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "store/threads.h"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <vector>

namespace pagetide::checkpoint {

namespace {

/// More would only wait for memory.
constexpr std::size_t kMaxThreads = 8;
/// What is worth a thread.
constexpr std::size_t kMinEach = 8;

std::size_t processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

/// Hands out numbers, and keeps what went wrong.
class Share {
public:
  explicit Share(std::size_t count) : count_(count) {}

  void run(const std::function<void(const NextIndex &)> &work) {
    std::size_t now = 0;
    try {
      work([&](std::size_t &index) {
        if (failed_.load(std::memory_order_relaxed))
          return false;
        index = now = next_.fetch_add(1, std::memory_order_relaxed);
        return now < count_;
      });
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!error_ || now < failed_at_) {
        error_ = std::current_exception();
        failed_at_ = now;
      }
      failed_ = true;
    }
  }

  void rethrow() const {
    if (error_)
      std::rethrow_exception(error_);
  }

private:
  const std::size_t count_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::size_t failed_at_ = 0;
};

/// False if there can be no more threads. Those that there are do it all.
bool starts(std::vector<std::thread> &threads, Share &share,
            const std::function<void(const NextIndex &)> &work) {
  try {
    threads.push_back(
        thread_without_signals([&share, &work] { share.run(work); }));
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

} // namespace

std::thread thread_without_signals(const std::function<void()> &run) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(run);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw std::bad_alloc();
  }
}

void in_parallel(std::size_t count,
                 const std::function<void(const NextIndex &)> &work) {
  Share share(count);
  const std::size_t wanted =
      std::min({processors(), kMaxThreads, count / kMinEach});
  std::vector<std::thread> others;
  others.reserve(wanted);
  while (others.size() + 1 < wanted && starts(others, share, work))
    continue;
  share.run(work);
  for (std::thread &other : others)
    other.join();
  share.rethrow();
}

} // namespace pagetide::checkpoint

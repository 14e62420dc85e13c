/*===- threads_of_cpp.cpp - std::thread, async and thread_local ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

static char *a;

/* Touches a page when the thread that used it ends. */
struct AtThreadEnd {
  volatile char *page = nullptr;
  ~AtThreadEnd() {
    if (!page)
      return;
    *page = 1;
    expect_write(page, 1);
  }
};
static thread_local AtThreadEnd at_thread_end;

/* A pool with a queue, as programs have them. */
class Pool {
public:
  explicit Pool(int n) {
    for (int i = 0; i < n; ++i)
      workers.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      done = true;
    }
    ready.notify_all();
    for (std::thread &worker : workers)
      worker.join();
  }
  std::future<void> post(std::function<void()> job) {
    std::packaged_task<void()> task(std::move(job));
    std::future<void> result = task.get_future();
    {
      std::lock_guard<std::mutex> lock(mutex);
      jobs.push(std::move(task));
    }
    ready.notify_one();
    return result;
  }

private:
  void run() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex);
      ready.wait(lock, [this] { return done || !jobs.empty(); });
      if (jobs.empty())
        return;
      std::packaged_task<void()> job = std::move(jobs.front());
      jobs.pop();
      lock.unlock();
      job();
    }
  }
  std::mutex mutex;
  std::condition_variable ready;
  std::queue<std::packaged_task<void()>> jobs;
  bool done = false;
  std::vector<std::thread> workers;
};

int main() {
  a = arena(0, 256 * PAGE);
  std::thread([] {
    a[0] = 1;
    expect_write(a, 1);
    at_thread_end.page = a + 10 * PAGE;
  }).join();
  end_period();

  int got = std::async(std::launch::async, [] {
              a[20 * PAGE] += 7;
              expect_both(a + 20 * PAGE, 1);
              return 5;
            }).get();
  require_equal(got, 5);
  end_period();

  Pool pool(4);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::future<void>> results;
    for (int i = 0; i < 40; ++i)
      results.push_back(pool.post([i, round] {
        char *page = a + (40 + i + round) * PAGE;
        *page = 1;
        expect_write(page, 1);
      }));
    for (std::future<void> &result : results)
      result.get();
    end_period();
  }
  return 0;
}

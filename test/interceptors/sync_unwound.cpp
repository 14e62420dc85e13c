//===- sync_unwound.cpp - Calls that exceptions and cancellations leave ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// If a routine throws, libc resets its once-control while the exception passes.
// RUN: %known_sets --ways O0,O2,O2/rw/6 %s

#include "known_sets.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>

static char *a;
static pthread_once_t *control;

static void runs(bool throws) {
  end_period();
  expect_write(control, 4);
  if (throws)
    throw 1;
}
static void fails() { runs(true); }
static void succeeds() { runs(false); }

static void once() {
  expect_both(control, 4);
  bool caught = false;
  try {
    pthread_once(control, fails);
  } catch (int) {
    caught = true;
  }
  require(caught);
  end_period();
  // From a call within one.
  static int depth;
  expect_both(control, 4), expect_both(control + PAGE, 4);
  pthread_once(control + PAGE, [] {
    try {
      pthread_once(control, fails);
    } catch (int) {
      ++depth;
    }
    end_period();
    expect_write(control + PAGE, 4);
  });
  require_equal(depth, 1);
  end_period();
  expect_both(control, 4);
  pthread_once(control, succeeds);
  end_period();

  std::once_flag *flag = new (a + 9 * PAGE) std::once_flag;
  expect_both(flag, 4);
  int times = 0;
  for (int i = 0; i < 3; ++i)
    try {
      std::call_once(*flag, [&] {
        if (!times++)
          throw 1;
      });
    } catch (int) {
    }
  require_equal(times, 2);
  end_period();
}

/// Destructors run where a thread is cancelled.
struct Destroyed {
  bool &flag;
  ~Destroyed() { flag = true; }
};

static void cancelled() {
  auto *mutex = new (a + 12 * PAGE) std::mutex;
  auto *condition = new (a + 14 * PAGE) std::condition_variable;
  end_period(); // the constructors' writes are not the matter here
  static bool destroyed;
  static volatile bool waits;
  pthread_t thread;
  struct Both {
    std::mutex *mutex;
    std::condition_variable *condition;
  } both = {mutex, condition};
  require_equal(pthread_create(
                    &thread, nullptr,
                    [](void *arg) -> void * {
                      auto &both = *static_cast<Both *>(arg);
                      Destroyed on_the_way{destroyed};
                      std::unique_lock<std::mutex> hold(*both.mutex);
                      waits = true;
                      for (;;)
                        both.condition->wait(hold);
                    },
                    &both),
                0);
  while (!waits)
    usleep(100);
  {
    std::lock_guard<std::mutex> it_waits(*mutex);
  }
  require_equal(pthread_cancel(thread), 0);
  require_equal(pthread_join(thread, nullptr), 0);
  require(destroyed);
  require(mutex->try_lock()); // its holder's destructor has unlocked it
  mutex->unlock();
}

int main() {
  a = arena(0, 16 * PAGE);
  control = reinterpret_cast<pthread_once_t *>(a);
  once();
  pagetide_unwatch(a, 16 * PAGE);
  pagetide_watch(a, PAGE);
  cancelled();
  return 0;
}

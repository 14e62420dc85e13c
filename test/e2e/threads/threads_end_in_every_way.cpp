//===- threads_end_in_every_way.cpp - Return, exit, cancellation ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// However a thread ends, what it touched is in the set: also by its cleanup
// handlers, its thread_local destructors and its thread-specific ones, in each
// of libc's rounds. The last round comes after the runtime has let the thread
// go: it stands under thread 0.
// RUN: %known_sets --may-carry --ways O0,O2,O2/access,O2/write %s

#include "known_sets.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>

enum { kWays = 8, kPages = 16 };

static char *a;
static int pipe_ends[2];
static pthread_key_t key;
static volatile int never;
static int begun, ended; // futures of the threads nobody joins

static void touch(char *page, int tid) {
  *(volatile char *)page += 1;
  expect_at(known_period_, tid, page, 1, "rw");
}

namespace {
struct Closing {
  char *page = nullptr;
  ~Closing() {
    if (page)
      touch(page, thread_id());
  }
};
thread_local Closing closing;

/// What a destructor of the key needs to know.
struct Rounds {
  char *pages;
  int round;
};
} // namespace

/// Sets itself anew until libc gives up.
static void next_round(void *argument) {
  auto *rounds = static_cast<Rounds *>(argument);
  const bool last = rounds->round + 1 == PTHREAD_DESTRUCTOR_ITERATIONS;
  touch(rounds->pages + rounds->round * PAGE, last ? 0 : thread_id());
  ++rounds->round;
  require(pthread_setspecific(key, argument) == 0);
  if (last)
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
}

static void clean_up(void *page) { touch(static_cast<char *>(page), thread_id()); }

static NOINLINE void exit_from_depth(char *page) {
  touch(page, thread_id());
  if (!never)
    pthread_exit(nullptr);
  touch(page + PAGE, thread_id()); // never reached
}

/// Touches `page` until it is cancelled.
static void *be_cancelled(int type, char *page) {
  int old;
  if (type == PTHREAD_CANCEL_DEFERRED) {
    touch(page, thread_id());
    __atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
    char byte;
    (void)!read(pipe_ends[0], &byte, 1); // nothing ever comes
    return nullptr;
  }
  touch(page, thread_id());
  __atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  for (;;)
    *(volatile char *)page += 1;
}

static void *work(void *argument) {
  size_t way = (size_t)argument;
  char *mine = a + way * kPages * PAGE;
  static Rounds all_rounds[kWays];
  all_rounds[way] = {mine, 0};
  require(pthread_setspecific(key, &all_rounds[way]) == 0);
  closing.page = mine + 5 * PAGE;
  void *result = nullptr;
  pthread_cleanup_push(clean_up, mine + 6 * PAGE);
  switch (way) {
  case 0:
  case 1: // detached, see main
    touch(mine + 7 * PAGE, thread_id());
    break;
  case 2:
    pthread_detach(pthread_self());
    touch(mine + 7 * PAGE, thread_id());
    break;
  case 3:
    exit_from_depth(mine + 7 * PAGE);
    break;
  case 4:
    result = be_cancelled(PTHREAD_CANCEL_DEFERRED, mine + 7 * PAGE);
    break;
  case 5:
    result = be_cancelled(PTHREAD_CANCEL_ASYNCHRONOUS, mine + 7 * PAGE);
    break;
  case 6: // makes a thread and ends before it
  case 7:
    touch(mine + 7 * PAGE, thread_id());
    break;
  }
  pthread_cleanup_pop(1);
  return result;
}

int main() {
  a = arena(0, kWays * kPages * PAGE);
  require(pipe(pipe_ends) == 0);
  require(pthread_key_create(&key, next_round) == 0);
  for (int round = 0; round < 3; ++round) {
    begun = ended = 0;
    pthread_t threads[kWays];
    for (size_t way = 0; way < kWays; ++way) {
      pthread_attr_t attributes;
      pthread_attr_init(&attributes);
      if (way == 1)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
      require(pthread_create(&threads[way], &attributes, work, (void *)way) ==
              0);
      pthread_attr_destroy(&attributes);
    }
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 2)
      sched_yield();
    require(pthread_cancel(threads[4]) == 0);
    require(pthread_cancel(threads[5]) == 0);
    for (size_t way = 0; way < kWays; ++way)
      if (way != 1 && way != 2)
        require(pthread_join(threads[way], nullptr) == 0);
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < kWays)
      sched_yield();
    end_period();
  }
  return 0;
}

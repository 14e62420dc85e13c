/*===- api_callback.c - What a callback is given, and where it runs --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O2 %s -o %t && %t
// Fine granules, reported in pages.
// RUN: %build_c -O2 -Xclang -mllvm -Xclang -pagetide-granule=6 %s -o %t.fine
// RUN: PAGETIDE_OPTIONS=granularity=page %t.fine

#include "recording.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static char *a;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void driven(void) {
  int user;
  uint64_t before = now();
  start_driven();
  require_status(pagetide_on_period(see, &user), PAGETIDE_OK);
  uint64_t last_end = 0;
  for (int i = 0; i < 5; ++i) {
    seen.calls = 0;
    write_byte(a + i * PAGE);
    require_equal(read_byte(a + (i + 20) * PAGE), 0);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    /* It has run, once, on this thread. */
    require_equal(seen.calls, 1);
    require(seen.user == &user);
    require_equal(seen.on_thread, thread_id());
    require_equal(seen.period.index, i);
    require_equal(seen.period.flags, PAGETIDE_PERIOD_DRIVEN);
    require_equal(seen.period.overruns, 0);
    require_equal(seen.period.granule, PAGE);
    require(seen.period.start_ns < seen.period.end_ns);
    require(i == 0 ? seen.period.start_ns >= before
                   : seen.period.start_ns == last_end);
    require(seen.period.end_ns <= now());
    last_end = seen.period.end_ns;
    require_equal(seen.thread_count, 1);
    require_equal(seen.threads[0].tid, 0);
    require_equal(flags_of(0, a + i * PAGE), PAGETIDE_WRITTEN);
    require_equal(flags_of(0, a + (i + 20) * PAGE), PAGETIDE_READ);
    require_equal(seen_granules(), 2);
    /* No checksums were asked for. */
    require_equal(seen.period.page_count, 0);
    require_equal(seen.period.stable_count, 0);
    require_equal(seen.period.combined_checksum, 0);
  }
  /* A period without accesses has a callback too. */
  seen.calls = 0;
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 1);
  require_equal(seen_granules(), 0);
  /* None, then another. */
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_equal(seen.calls, 1);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  write_byte(a);
  require_status(pagetide_stop(), PAGETIDE_OK);
  require_equal(seen.calls, 2);
  require_equal(seen.period.index, 7);
  require_equal(seen.period.flags, PAGETIDE_PERIOD_FINAL);
  require(seen.user == NULL);
  require_equal(flags_of(0, a), PAGETIDE_WRITTEN);
}

/* What a callback touches is in no set. */
static void touching(const pagetide_period *period, void *user) {
  (void)user;
  for (int i = 0; i < 10; ++i)
    write_byte(a + (40 + i) * PAGE);
  memset(a + 52 * PAGE, 3, 3 * PAGE);
  see(period, user);
}
static void left_out(void) {
  start_driven();
  require_status(pagetide_on_period(touching, NULL), PAGETIDE_OK);
  for (int i = 0; i < 4; ++i) {
    write_byte(a + PAGE);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(seen_granules(), 1);
    require_equal(flags_of(0, a + PAGE), PAGETIDE_WRITTEN);
  }
  require_equal(pagetide_query(a, 60 * PAGE), 0);
  require_status(pagetide_stop(), PAGETIDE_OK);
  require_equal(seen_granules(), 0);
}

static pthread_barrier_t barrier;
static int other_tid;
static void *other(void *unused) {
  other_tid = thread_id();
  for (int i = 0; i < 3; ++i) {
    pthread_barrier_wait(&barrier);
    write_byte(a + 10 * PAGE);
    require_equal(read_byte(a + (11 + i) * PAGE), 0);
    pthread_barrier_wait(&barrier);
  }
  return unused;
}
static void per_thread(void) {
  pagetide_config config = driven_config();
  config.per_thread = 1;
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require(pthread_create(&thread, NULL, other, NULL) == 0);
  uint32_t main_tid = (uint32_t)thread_id();
  for (int i = 0; i < 3; ++i) {
    pthread_barrier_wait(&barrier);
    write_byte(a + 10 * PAGE); /* both threads */
    write_byte(a + (30 + i) * PAGE);
    pthread_barrier_wait(&barrier);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(flags_of(main_tid, a + 10 * PAGE), PAGETIDE_WRITTEN);
    require_equal(flags_of(main_tid, a + (30 + i) * PAGE), PAGETIDE_WRITTEN);
    require_equal(flags_of(main_tid, a + (11 + i) * PAGE), 0);
    require_equal(flags_of((uint32_t)other_tid, a + 10 * PAGE),
                  PAGETIDE_WRITTEN);
    require_equal(flags_of((uint32_t)other_tid, a + (11 + i) * PAGE),
                  PAGETIDE_READ);
    require_equal(flags_of(0, a + 10 * PAGE), 0);
    require_equal(flags_of((uint32_t)other_tid, a + (30 + i) * PAGE), 0);
  }
  pthread_join(thread, NULL);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

static _Atomic int calls, wrong_thread;
static _Atomic uint64_t last_index, last_end;
static void timed_callback(const pagetide_period *period, void *user) {
  if (thread_id() == *(int *)user)
    wrong_thread = 1;
  require(period->flags == 0);
  require(calls == 0 || period->index == last_index + 1);
  require(calls == 0 || period->start_ns == last_end);
  last_index = period->index;
  last_end = period->end_ns;
  ++calls;
}
static void timed(void) {
  pagetide_config config = driven_config();
  config.period_ns = 5000000;
  int me = thread_id();
  calls = 0;
  require_status(pagetide_on_period(timed_callback, &me), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  while (calls < 20)
    usleep(1000);
  require(!wrong_thread);
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  /* The clock ends no period any more, and then it does again. */
  require_status(pagetide_set_period(0), PAGETIDE_OK);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  seen.calls = 0;
  usleep(50000);
  require_equal(seen.calls, 0);
  require_status(pagetide_set_period(2000000), PAGETIDE_OK);
  while (*(volatile int *)&seen.calls < 10)
    usleep(1000);
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

/* Once on_period has returned, the former callback runs no more. */
static _Atomic int in_callback;
static void slow(const pagetide_period *period, void *user) {
  (void)period;
  _Atomic int *counter = (_Atomic int *)user;
  in_callback = 1;
  usleep(3000);
  ++*counter;
  in_callback = 0;
}
static void replaced(void) {
  pagetide_config config = driven_config();
  config.period_ns = 1000000;
  _Atomic int counters[2] = {0, 0};
  require_status(pagetide_start(&config), PAGETIDE_OK);
  for (int i = 0; i < 20; ++i) {
    _Atomic int *mine = &counters[i & 1], *others = &counters[!(i & 1)];
    require_status(pagetide_on_period(slow, mine), PAGETIDE_OK);
    int before = *others;
    usleep(2500);
    require_equal(*others, before);
  }
  require_status(pagetide_on_period(NULL, NULL), PAGETIDE_OK);
  require(!in_callback);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

int main(void) {
  a = arena(0, 64 * PAGE);
  driven();
  left_out();
  per_thread();
  timed();
  replaced();
  return 0;
}

/*===- snapshots_lose_nothing.c - Marks made while they are collected ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Each thread writes its pages one after the other, neighbouring cells of one
// shadow word, in passes far apart in time, while the recorder collects: once a
// millisecond, or whenever another thread asks it to, every 100 us. Every pass
// over a page is a row, in the right period, and there is no other row.
// RUN: %known_sets --timed 1ms --ways O2,O2/access,O2/write --arg clock \
// RUN:   --skip-carried %s
// RUN: %known_sets --timed 1ms --ways O2,O2/rw/6 --modes process --arg asked \
// RUN:   --option settle=20us --skip-carried %s

#include "known_times.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 2, PAGES = 4096, CHUNK = 64, PASSES = 5 };

static char *a;
static struct stamp *stamps;
static _Atomic int running = THREADS;

static NOINLINE void touch_chunk(char *p) {
  for (size_t i = 0; i < CHUNK; ++i)
    ((volatile char *)p)[i * GRANULE] = 1;
}

static void *work(void *argument) {
  size_t t = (size_t)argument;
  char *mine = a + t * PAGES * GRANULE;
  struct stamp *s = stamps + t * PASSES * (PAGES / CHUNK);
  for (int pass = 0; pass < PASSES; ++pass)
    for (size_t page = 0; page < PAGES; page += CHUNK, ++s) {
      stamp_begin(s, mine + page * GRANULE, CHUNK * GRANULE, 1);
      touch_chunk(mine + page * GRANULE);
      stamp_end(s);
      /* So paced that a pass takes some tens of periods. */
      while (now_ns() < s->after + 200000)
        sched_yield();
    }
  --running;
  return NULL;
}

int main(int argc, char **argv) {
  require(argc == 2);
  a = arena(0, (size_t)THREADS * PAGES * GRANULE);
  stamps = map_stamps((size_t)THREADS * PASSES * (PAGES / CHUNK));
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  if (strcmp(argv[1], "asked") == 0)
    while (running) {
      uint64_t next = now_ns() + 100000;
      require_status(pagetide_period_end(), PAGETIDE_OK);
      while (now_ns() < next) {
      }
    }
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  return 0;
}

/*===- api_collect_atomic.c - No access is collected twice or missed -------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Threads write page after page, with numbers that only grow. The main thread
// collects the region all the time. Each write of a page must be in exactly one
// collection: none before it, and the first that began after it at the latest.
// RUN: %build_c -O2 %s -o %t && %t 0 && %t 2000000

#include "recording.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 2, PAGES = 20000 };

static char *a;
/* How many pages each thread has surely, and at most, written by now. */
static _Atomic size_t written[THREADS], begun[THREADS];
static _Atomic int done;

static void *write_all(void *argument) {
  size_t t = (size_t)argument;
  char *mine = a + t * PAGES * PAGE;
  for (size_t page = 0; page < PAGES; ++page) {
    atomic_store(&begun[t], page + 1);
    write_byte(mine + page * PAGE);
    atomic_store(&written[t], page + 1);
    /* Never far ahead of the collector, so that there are many collections. */
    if (page % 64 == 0)
      usleep(50);
  }
  ++done;
  return NULL;
}

static unsigned char times[THREADS * PAGES];
static pagetide_run runs[THREADS * PAGES];

int main(int argc, char **argv) {
  require(argc == 2);
  a = arena(0, (size_t)THREADS * PAGES * PAGE);
  pagetide_config config = driven_config();
  config.period_ns = strtoull(argv[1], NULL, 10);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, write_all, (void *)t) == 0);
  int collections = 0, last = 0;
  while (!last) {
    last = done == THREADS;
    size_t sure[THREADS], count = 0;
    for (int t = 0; t < THREADS; ++t)
      sure[t] = written[t];
    require_status(pagetide_collect(a, (size_t)THREADS * PAGES * PAGE, runs,
                                    THREADS * PAGES, &count),
                   PAGETIDE_OK);
    require(count <= THREADS * PAGES);
    for (size_t i = 0; i < count; ++i) {
      require_equal(runs[i].flags, PAGETIDE_WRITTEN);
      size_t first = (runs[i].address - (uintptr_t)a) / PAGE;
      for (size_t page = first; page < first + runs[i].bytes / PAGE; ++page) {
        require(page % PAGES < begun[page / PAGES]);
        ++times[page];
      }
    }
    ++collections;
    if (config.period_ns == 0)
      for (size_t page = 0; page < THREADS * PAGES; ++page)
        if (page % PAGES < sure[page / PAGES])
          require_equal(times[page], 1);
  }
  for (size_t t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  require(collections > 20);
  /* Where the clock ends periods too, some writes are in a period that ended
   * between two collections, and in no collection. */
  for (size_t page = 0; page < THREADS * PAGES; ++page)
    require(config.period_ns ? times[page] <= 1 : times[page] == 1);
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}

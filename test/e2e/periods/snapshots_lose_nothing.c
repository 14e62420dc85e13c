/*===- snapshots_lose_nothing.c - Marks made while they are collected ------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Each thread writes its pages one after the other, neighbouring cells of one
// shadow word, in passes far apart in time, while the recorder collects: once a
// millisecond, or whenever another thread asks it to, every 100 us. Every pass
// over a page is a row in the right period, and no other row exists. If the
// layout tells reads from writes, reads come first, in the cells between.
// Stores take turns with calls that mark: under precision near those make near
// marks, these certain ones. One pass is over the last bytes of the pages,
// where near marks are in doubt.
// RUN: %known_sets --timed 1ms --ways O2/access,O2/write,O2/access/12/near \
// RUN:   --arg clock --skip-carried %s
// RUN: %known_sets --timed 1ms --ways O2,O2/rw/12/near --arg clock --arg reads \
// RUN:   --skip-carried %s
// RUN: %known_sets --timed 1ms --ways O2,O2/rw/6,O2/rw/12/near --modes process \
// RUN:   --arg asked --arg reads --option settle=20us --skip-carried %s

#include "known_times.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 2, PAGES = 4096, CHUNK = 64, PASSES = 5 };
enum { STAMPS = PASSES * (PAGES / CHUNK) * 2 }; /* of a thread */

static char *a;
static struct stamp *stamps;
static int running = THREADS;

static int reads;

static NOINLINE void read_chunk(char *p) {
  for (size_t i = 0; i < CHUNK; ++i)
    (void)((volatile char *)p)[i * GRANULE + GRANULE / 2];
}

static NOINLINE void write_chunk(char *p, int pass) {
  const size_t offset = pass == 3 ? GRANULE - 8 : 0;
  for (size_t i = 0; i < CHUNK; ++i)
    if (((size_t)pass + i) % 2)
      ((volatile char *)p)[i * GRANULE + offset] = 1;
    else
      pagetide_mark_written(p + i * GRANULE + offset, 1);
}

static void *work(void *argument) {
  size_t t = (size_t)argument;
  char *mine = a + t * PAGES * GRANULE;
  struct stamp *s = stamps + t * STAMPS;
  for (int pass = 0; pass < PASSES; ++pass)
    for (size_t page = 0; page < PAGES; page += CHUNK) {
      char *p = mine + page * GRANULE;
      if (reads) {
        stamp_begin(s, p, CHUNK * GRANULE, 0);
        read_chunk(p);
        stamp_end(s++);
      }
      stamp_begin(s, p, CHUNK * GRANULE, 1);
      write_chunk(p, pass);
      stamp_end(s++);
      /* So paced that a pass takes some tens of periods. */
      while (now_ns() < s[-1].after + 200000)
        sched_yield();
    }
  __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char **argv) {
  require(argc == 2 || argc == 3);
  reads = argc == 3;
  /* What is not watched yet may well be in rows, and must not be later. */
  for (uint64_t end = now_ns() + 3000000; now_ns() < end;)
    ;
  a = arena(0, (size_t)THREADS * PAGES * GRANULE);
  stamps = map_stamps((size_t)THREADS * STAMPS);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  if (strcmp(argv[1], "asked") == 0)
    end_periods_while(&running);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  return 0;
}

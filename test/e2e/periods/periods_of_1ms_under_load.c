/*===- periods_of_1ms_under_load.c - Busy threads, exact sets --------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// Threads access pages at random as fast as they can stamp it, while the clock
// ends a period every millisecond: every access is in its period, and nothing
// else is.
// RUN: %known_sets --timed 1ms \
// RUN:   --ways O2:thread,O2/access:process,O2/write:thread,O2/rw/6:process %s
// RUN: %known_sets --timed 1ms --ways O2:process --under-record %s

#include "known_times.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 3, STAMPS = 25000, OWN = 1500, SHARED = 400 };

#ifndef WRITTEN
#define WRITTEN 1 /* 2: a write may be in two periods */
#endif

static char *own, *shared, *load;
static struct stamp *stamps;

static void *work(void *argument) {
  size_t t = (size_t)argument;
  uint64_t random = 12345 + t;
  struct stamp *s = stamps + t * STAMPS;
  char *heap = load + t * MIB;
  for (size_t i = 0; i < STAMPS; ++i, ++s) {
    uint64_t draw = next_random(&random);
    char *page = draw % 4 == 0
                     ? shared + (draw >> 8) % SHARED * PAGE + 64 * t
                     : own + (t * OWN + (draw >> 8) % OWN) * PAGE;
    int written = (draw >> 2) % 2 ? WRITTEN : 0;
    stamp_begin(s, page, 1, written);
    if (written) {
      *(volatile char *)page = (char)i;
    } else {
      char value = *(volatile char *)page;
      OPAQUE(value);
    }
    stamp_end(s);
    /* Load that nobody watches: the shadow has other marks as well. */
    for (size_t k = 0; k < 20; ++k)
      ((volatile char *)heap)[(draw * 64 + k * 4096) % MIB] += 1;
  }
  return NULL;
}

int main(void) {
  own = arena(0, (size_t)THREADS * OWN * PAGE);
  shared = arena(2, (size_t)SHARED * PAGE);
  load = map_arena(4, THREADS * MIB);
  stamps = map_stamps((size_t)THREADS * STAMPS);
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_join(threads[t], NULL) == 0);
  return 0;
}

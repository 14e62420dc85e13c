/*===- threads_that_end.c - Checkpoints of what short threads wrote
 *---------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// While a checkpoint in the background waits for an update to end, threads are
// born and end. New ones get the shadows of those that ended, and what these
// had marked is taken before that. It is in the checkpoint.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c -O2 %s %link_checkpoint -o %t/program
// RUN: cd %t && PAGETIDE_OPTIONS=settle_wait=20ms:cut_stop=2s ./program

#include "checkpoints.h"

#include <pthread.h>
#include <unistd.h>

enum { PAGE = 4096, COUNT = 64, MADE = 12 };

/* Each thread counts in a page of its own, and then in the first one. */
static uint8_t *counters;
static volatile int ends;

static void count(int page) {
  ++*(volatile uint64_t *)(counters + page * PAGE);
}

static void *count_once(void *page) {
  count((int)(intptr_t)page);
  count(0);
  return NULL;
}

static void *make_threads(void *unused) {
  for (intptr_t page = 1; !ends; page = page % (COUNT - 1) + 1) {
    pthread_t thread;
    require_status(pthread_create(&thread, NULL, count_once, (void *)page), 0);
    require_status(pthread_join(thread, NULL), 0);
  }
  return unused;
}

static void require_one_instant(void) {
  uint64_t sum = 0;
  for (int page = 1; page < COUNT; ++page)
    sum += *(uint64_t *)(counters + page * PAGE);
  const uint64_t total = *(uint64_t *)counters;
  if (sum != total)
    require_equal(sum, total + 1);
}

int main(void) {
  counters = pages(COUNT);
  pagetide_checkpoint_config config = in_folder("saved");
  config.sync = PAGETIDE_CHECKPOINT_NO_SYNC;
  config.keep = 1000;
  pagetide_checkpoint *c = open_with(&config);
  require_checkpoint(pagetide_checkpoint_protect(c, 1, counters, COUNT * PAGE),
                     0);
  saved(c);
  pthread_t maker;
  require_status(pthread_create(&maker, NULL, make_threads, NULL), 0);
  require_checkpoint(pagetide_checkpoint_every(c, 10 * 1000 * 1000, NULL, NULL),
                     0);
  pagetide_checkpoint_counts counts = {.size = sizeof counts};
  do {
    pagetide_update_begin();
    usleep(30 * 1000);
    pagetide_update_end();
    usleep(1000);
    require_checkpoint(pagetide_checkpoint_count(c, &counts), 0);
  } while (counts.made < MADE);
  require_checkpoint(pagetide_checkpoint_every(c, 0, NULL, NULL), 0);
  ends = 1;
  require_status(pthread_join(maker, NULL), 0);
  const pagetide_checkpoint_result last = saved(c);
  for (uint64_t number = 2; number <= last.number; ++number) {
    restored(c, number);
    require_one_instant();
  }
  require_checkpoint(pagetide_checkpoint_close(c), 0);
  return 0;
}

/*===- checksums_unstable.c - A page under a writer is never torn ----------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %build_c -O1 -c %s -o %t.o && %plain_c -O2 -c \
// RUN:   %support/reference_hash.c -o %t.reference.o
// RUN: %build_c %t.o %t.reference.o -o %t
// Hashing waits for threads to settle as long as it takes here, so that what is
// settled does not depend on the machine's load.
// RUN: PAGETIDE_OPTIONS=settle_wait=2s %t

#include "recording.h"
#include "reference_hash.h"

#include <pthread.h>
#include <stdatomic.h>

enum { WORDS = 8, ROUNDS = 25 };

static char *a;
static char model[4096] __attribute__((aligned(8)));
static _Atomic uint64_t step;
static _Atomic int mode; /* 0: write on, 1: spin and write nothing, 2: end */
static _Atomic int spinning;

/* The page's contents are a function of one number: after step s the first
 * s % WORDS of its words hold s / WORDS + 1, the others s / WORDS. */
static void put(char *page, uint64_t s) {
  *(volatile uint64_t *)(page + (s % WORDS) * 512) = s / WORDS + 1;
}
static void *writer(void *page) {
  uint64_t s = 0;
  while (mode != 2) {
    if (mode == 1) {
      spinning = 1;
      continue;
    }
    spinning = 0;
    put((char *)page, s);
    step = ++s;
    for (volatile int i = 0; i < 50; ++i) {
    }
  }
  return NULL;
}

/* Whether the hash is one of the page's after steps in [from, to]. */
static int is_a_state(uint64_t hash, uint64_t from, uint64_t to) {
  memset(model, 0, sizeof model);
  for (uint64_t w = 0; w < WORDS; ++w)
    *(uint64_t *)(model + w * 512) = from / WORDS + (w < from % WORDS);
  for (uint64_t s = from;; ++s) {
    if (reference_hash(model, PAGE) == hash)
      return 1;
    if (s >= to)
      return 0;
    put(model, s);
  }
}

static void check(int policy) {
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  config.unstable = policy;
  char *busy = a, *own = a + 2 * PAGE;
  memset(busy, 0, PAGE);
  mode = 0, step = 0, spinning = 0;
  pthread_t thread;
  require(pthread_create(&thread, NULL, writer, busy) == 0);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  int unstable = 0, stable = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    uint64_t begin = step;
    while (step < begin + 100) {
    }
    own[round] = (char)round;
    uint64_t from = step;
    require_status(pagetide_period_end(), PAGETIDE_OK);
    uint64_t to = step + 1;
    /* Nobody else writes the main thread's page. */
    const pagetide_page *mine = page_of(own);
    require(mine && mine->state == PAGETIDE_STATE_STABLE);
    require_equal(mine->checksum, reference_hash(own, PAGE));
    const pagetide_page *page = page_of(busy);
    require(page != NULL);
    if (page->state == PAGETIDE_STATE_STABLE) {
      ++stable;
      require(is_a_state(page->checksum, from, to));
    } else {
      ++unstable;
      require_equal(page->state, PAGETIDE_STATE_UNSTABLE);
      require_equal(page->checksum, 0);
    }
  }
#ifdef NOBODY_UNSETTLED /* an engine without marks */
  (void)stable;
#else
  /* The writer marks the page again as soon as it runs; until it runs it is not
   * settled. */
  if (policy == PAGETIDE_UNSTABLE_FLAG)
    require_equal(stable, 0);
#endif
  if (policy == PAGETIDE_UNSTABLE_STOP)
    require_equal(unstable, 0);

  /* It runs on and writes no more: once settled, the page is stable. */
  mode = 1;
  while (!spinning) {
  }
  require_status(pagetide_period_end(), PAGETIDE_OK);
  require_status(pagetide_period_end(), PAGETIDE_OK);
  mode = 0;
  uint64_t begin = step;
  while (step < begin + 100) {
  }
  mode = 1, spinning = 0;
  while (!spinning) {
  }
  require_status(pagetide_period_end(), PAGETIDE_OK);
  const pagetide_page *page = page_of(busy);
  require(page != NULL);
  require_equal(page->state, PAGETIDE_STATE_STABLE);
  require_equal(page->checksum, reference_hash(busy, PAGE));
  mode = 2;
  pthread_join(thread, NULL);
  require_status(pagetide_stop(), PAGETIDE_OK);
}

int main(void) {
  a = arena(0, 16 * PAGE);
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  check(PAGETIDE_UNSTABLE_FLAG);
  check(PAGETIDE_UNSTABLE_REHASH);
  check(PAGETIDE_UNSTABLE_STOP);
  return 0;
}

/*===- threads_that_write.h - Memory that shows whether it is of one instant ===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#pragma once

#include "checkpoints.h"

#include <pthread.h>

enum {
  COUNTERS = 2, /* threads that count */
  TRANSFERS = 2,
  PAGES = 20, /* of each that counts */
  ACCOUNTS = 40,
  BALANCE = 1000,
  STRIDE = 4096 / 8
};

/* Each thread raises its counters in turn, in no update. */
static int64_t counters[COUNTERS][PAGES * STRIDE];
/* One account a page. In no update does their sum change. */
static int64_t accounts[ACCOUNTS * STRIDE];
/* Of each thread: how often it has done its work. */
static uint64_t done_by[COUNTERS + TRANSFERS];
static volatile int ends, without_updates;

#define consistent(condition)                                                  \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: the checkpoint contradicts itself: %s\n",        \
              __FILE__, __LINE__, #condition);                                 \
      _exit(98);                                                               \
    }                                                                          \
  } while (0)

static void check_state(void) {
  for (int t = 0; t < COUNTERS; ++t) {
    int64_t behind = 0;
    for (int i = 1; i < PAGES; ++i) {
      int64_t now = counters[t][0] - counters[t][i * STRIDE];
      consistent(now == 0 || now == 1);
      consistent(now >= behind);
      behind = now;
    }
  }
  int64_t sum = 0;
  for (int i = 0; i < ACCOUNTS; ++i)
    sum += accounts[i * STRIDE];
  consistent(sum == BALANCE * ACCOUNTS);
}

static void *count(void *argument) {
  const int t = (int)(intptr_t)argument;
  volatile int64_t *mine = counters[t];
  int at = 0; /* goes on where the checkpoint was */
  while (at < PAGES && mine[at * STRIDE] != mine[0] - 1)
    ++at;
  while (!ends) {
    for (; at < PAGES; ++at)
      mine[at * STRIDE] = mine[at * STRIDE] + 1;
    at = 0;
    ++*(volatile uint64_t *)&done_by[t];
  }
  return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *transfer(void *argument) {
  const int t = (int)(intptr_t)argument;
  uint64_t seed = (uint64_t)t + 1;
  while (!ends) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    unsigned from = (unsigned)(seed >> 33) % ACCOUNTS;
    unsigned to = (from + 1 + (unsigned)(seed >> 40) % (ACCOUNTS - 1)) % ACCOUNTS;
    if (!without_updates)
      pagetide_update_begin();
    pthread_mutex_lock(&lock);
    accounts[from * STRIDE] -= (int64_t)(seed >> 50);
    for (volatile int wait = 0; wait < 200; ++wait)
      ;
    accounts[to * STRIDE] += (int64_t)(seed >> 50);
    ++done_by[t];
    pthread_mutex_unlock(&lock);
    if (!without_updates)
      require(pagetide_update_end() == 0);
  }
  return NULL;
}

static pthread_t threads[COUNTERS + TRANSFERS];

static void start_threads(void) {
  for (int t = 0; t < COUNTERS + TRANSFERS; ++t)
    require(pthread_create(&threads[t], NULL, t < COUNTERS ? count : transfer,
                           (void *)(intptr_t)t) == 0);
}

static void end_threads(void) {
  ends = 1;
  for (int t = 0; t < COUNTERS + TRANSFERS; ++t)
    pthread_join(threads[t], NULL);
}

static void begin_state(void) {
  for (int i = 0; i < ACCOUNTS; ++i)
    accounts[i * STRIDE] = BALANCE;
}

static void protect_state(pagetide_checkpoint *c) {
  require_checkpoint(
      pagetide_checkpoint_protect(c, 1, counters, sizeof counters), 0);
  require_checkpoint(
      pagetide_checkpoint_protect(c, 2, accounts, sizeof accounts), 0);
  require_checkpoint(
      pagetide_checkpoint_protect(c, 3, done_by, sizeof done_by), 0);
}

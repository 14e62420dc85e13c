/*===- threads_disjoint.c - Threads with pages of their own ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry %s

#include "known_sets.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 6 };

static char *a;
static pthread_barrier_t begin, end;

/* In round r thread t writes r + 1 pages of its own and reads one. */
static void *work(void *argument) {
  size_t t = (size_t)argument;
  char *mine = a + t * 64 * PAGE;
  for (size_t round = 0; round < ROUNDS; ++round) {
    pthread_barrier_wait(&begin);
    for (size_t page = 0; page <= round; ++page)
      mine[page * PAGE + 8 * t] = (char)round;
    char value = mine[40 * PAGE + round * PAGE];
    OPAQUE(value);
    for (size_t page = 0; page <= round; ++page)
      expect_write(mine + page * PAGE + 8 * t, 1);
    expect_read(mine + 40 * PAGE + round * PAGE, 1);
    pthread_barrier_wait(&end);
  }
  return NULL;
}

int main(void) {
  a = arena(0, THREADS * 64 * PAGE);
  pthread_t threads[THREADS];
  pthread_barrier_init(&begin, NULL, THREADS + 1);
  pthread_barrier_init(&end, NULL, THREADS + 1);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    end_period();
  }
  for (size_t t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  end_period();
  return 0;
}

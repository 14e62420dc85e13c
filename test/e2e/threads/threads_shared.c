/*===- threads_shared.c - Threads that touch the same pages ----------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry %s
// RUN: %known_sets --ways O0/site,O2/site,O3/rw-site --may-carry %s

#include "known_sets.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 6, ROUNDS = 5, PAGES = 16 };

static char *a;
static pthread_barrier_t begin, end;

static NOINLINE void touch(size_t t, size_t round) {
  /* All write the first pages, neighbouring bytes of one cache line. */
  for (size_t page = 0; page < PAGES; ++page) {
    a[page * PAGE + t] += 1;
    expect_both(a + page * PAGE + t, 1);
  }
  /* All count in one word. */
  atomic_fetch_add((_Atomic int *)(a + 20 * PAGE), 1);
  expect_both(a + 20 * PAGE, 4);
  /* One writes what the others read: who does which changes by round. */
  char *p = a + 22 * PAGE;
  if (round % THREADS == t) {
    *(volatile char *)p = 1;
    expect_write(p, 1);
  } else {
    char value = *(volatile char *)p;
    OPAQUE(value);
    expect_read(p, 1);
  }
}

static void *work(void *argument) {
  for (size_t round = 0; round < ROUNDS; ++round) {
    pthread_barrier_wait(&begin);
    touch((size_t)argument, round);
    pthread_barrier_wait(&end);
  }
  return NULL;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  pthread_t threads[THREADS];
  pthread_barrier_init(&begin, NULL, THREADS + 1);
  pthread_barrier_init(&end, NULL, THREADS + 1);
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_barrier_wait(&begin);
    /* The main thread takes part in odd rounds only. */
    if (round & 1) {
      a[20] = 1;
      expect_write(a + 20, 1);
    }
    pthread_barrier_wait(&end);
    end_period();
  }
  for (size_t t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  require_equal(*(int *)(a + 20 * PAGE), THREADS * ROUNDS);
  expect_read(a + 20 * PAGE, 4);
  end_period();
  return 0;
}

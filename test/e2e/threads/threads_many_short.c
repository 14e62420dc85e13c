/*===- threads_many_short.c - Thousands of threads, some alive at a time ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry --ways O2,O2/access,O2/write,O2/rw/21 %s

#include "known_sets.h"

#include <pthread.h>

enum { BATCH = 10, BATCHES = 300, BATCHES_A_PERIOD = 25 };

static char *a;

static void *work(void *page) {
  *(volatile char *)page = 1;
  char value = ((volatile char *)page)[PAGE];
  OPAQUE(value);
  expect_write(page, 1);
  expect_read((char *)page + PAGE, 1);
  return NULL;
}

int main(void) {
  a = arena(0, 3200 * 2 * PAGE);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * KIB);
  for (size_t batch = 0; batch < BATCHES; ++batch) {
    pthread_t threads[BATCH];
    for (size_t i = 0; i < BATCH; ++i)
      require(pthread_create(&threads[i], &attributes, work,
                             a + (batch * BATCH + i) * 2 * PAGE) == 0);
    for (size_t i = 0; i < BATCH; ++i)
      require(pthread_join(threads[i], NULL) == 0);
    if (batch % BATCHES_A_PERIOD == BATCHES_A_PERIOD - 1)
      end_period();
  }
  return 0;
}

/*===- two_writers.c - Threads that never rest, until pages were unstable --===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <pthread.h>
#include <stdatomic.h>

static char *a;
static atomic_int seen, end;

static void look(const pagetide_period *period, void *user) {
  (void)user;
  for (size_t i = 0; i < period->page_count; ++i)
    if (period->pages[i].state == PAGETIDE_STATE_UNSTABLE)
      atomic_store(&seen, 1);
}

static void *write_on(void *first) {
  while (!atomic_load(&end))
    for (size_t i = (size_t)first; i < (size_t)first + 64; ++i)
      ((volatile char *)a)[i * PAGE] += 1;
  return NULL;
}

int main(void) {
  pthread_t one, two;
  a = arena(0, 128 * PAGE);
  require_status(pagetide_on_period(look, NULL), PAGETIDE_OK);
  require(pthread_create(&one, NULL, write_on, (void *)0) == 0);
  require(pthread_create(&two, NULL, write_on, (void *)64) == 0);
  while (!atomic_load(&seen))
    usleep(1000);
  atomic_store(&end, 1);
  pthread_join(one, NULL), pthread_join(two, NULL);
  return 0;
}

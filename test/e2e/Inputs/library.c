/*===- library.c - A library that touches and states, to be loaded late ----===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "known_sets.h"

#include <pthread.h>

static char *mine;

/* These run within dlopen and dlclose, on the thread that calls them. The host
 * says in the environment that it wants them to, and in which period it is. */
__attribute__((constructor)) static void loaded(void) {
  const char *period = getenv("PAGETIDE_TEST_PERIOD");
  if (period == NULL)
    return;
  known_period_ = strtoull(period, NULL, 10);
  mine = arena(7, 16 * PAGE);
  mine[3 * PAGE] = 1;
  expect_write(mine + 3 * PAGE, 1);
}
__attribute__((destructor)) static void unloaded(void) {
  if (mine == NULL)
    return;
  mine[4 * PAGE] = 1;
  expect_write(mine + 4 * PAGE, 1);
  munmap(mine, 16 * PAGE);
}

void library_set_period(uint64_t period) { known_period_ = period; }
void library_end_period(void) { end_period(); }
char *library_arena(unsigned n, size_t bytes) { return arena(n, bytes); }

void library_touch(char *page) {
  *page += 1;
  expect_both(page, 1);
}

/* A loop in the library, a callback in the host. */
void library_for_each(char *pages, size_t n, void (*function)(char *)) {
  for (size_t i = 0; i < n; ++i) {
    library_touch(pages + i * PAGE);
    function(pages + i * PAGE);
  }
}

static void *thread_of_library(void *page) {
  library_touch((char *)page);
  return NULL;
}
void library_run_thread(char *page) {
  pthread_t thread;
  require(pthread_create(&thread, NULL, thread_of_library, page) == 0);
  require(pthread_join(thread, NULL) == 0);
}

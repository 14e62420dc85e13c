/*===- dlopen_instrumented_host.c - An instrumented host loads more --------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// RUN: %known_sets --may-carry --library late=%e2e/Inputs/library.c %s

#include "known_sets.h"

#include <dlfcn.h>
#include <pthread.h>

static char *a;
static pthread_barrier_t begin, end;
static void (*set_period)(uint64_t);
static void (*touch)(char *);
static void (*for_each)(char *, size_t, void (*)(char *));
static void (*run_thread)(char *);

static void *load(void) {
  char path[1024], period[32];
  snprintf(period, sizeof period, "%llu", (unsigned long long)known_period_);
  setenv("PAGETIDE_TEST_PERIOD", period, 1);
  snprintf(path, sizeof path, "%s/late.so", getenv("PAGETIDE_TEST_DIR"));
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  require(library != NULL);
  *(void **)&set_period = dlsym(library, "library_set_period");
  *(void **)&touch = dlsym(library, "library_touch");
  *(void **)&for_each = dlsym(library, "library_for_each");
  *(void **)&run_thread = dlsym(library, "library_run_thread");
  require(set_period && touch && for_each && run_thread);
  return library;
}

static void host_touch(char *page) {
  page[PAGE * 32] = 1;
  expect_write(page + PAGE * 32, 1);
}

/* A thread that was there before the library. */
static void *early(void *unused) {
  host_touch(a + PAGE);
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&end);
  touch(a + 2 * PAGE);
  for_each(a + 3 * PAGE, 4, host_touch);
  pthread_barrier_wait(&begin);
  return unused;
}

int main(void) {
  a = arena(0, 64 * PAGE);
  pthread_barrier_init(&begin, NULL, 2);
  pthread_barrier_init(&end, NULL, 2);
  pthread_t thread;
  require(pthread_create(&thread, NULL, early, NULL) == 0);
  pthread_barrier_wait(&begin);
  end_period();

  void *library = load();
  pthread_barrier_wait(&end);
  pthread_barrier_wait(&begin);
  touch(a + 10 * PAGE);
  end_period();
  set_period(known_period_);
  run_thread(a + 12 * PAGE);
  for_each(a + 13 * PAGE, 3, host_touch);
  pthread_join(thread, NULL);
  end_period();

  set_period(known_period_);
  require(dlclose(library) == 0);
  host_touch(a);
  end_period();
  library = load();
  touch(a + 20 * PAGE);
  end_period();
  set_period(known_period_);
  return 0; /* the library's destructor runs in the last period */
}

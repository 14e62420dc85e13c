/*===- dlopen_plain_host.c - The first instrumented code comes by dlopen ---===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// The host has neither marks nor the runtime; the library brings it. Threads
// that were there before get shadows of their own. Threads that such a host
// makes later are made behind the runtime's back, for its pthread_create comes
// too late to be found: the pages are complete, and by thread they are the
// parent's (docs/reference/contract.md, 7).
// RUN: %known_sets --may-carry --plain-host --arg after \
// RUN:   --library late=%e2e/Inputs/library.c %s
// RUN: %known_sets --may-carry --plain-host --arg before --modes process \
// RUN:   --library late=%e2e/Inputs/library.c %s

#include "known_sets.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

enum { THREADS = 3 };

static char *a;
static pthread_barrier_t begin, end;
static void (*set_period)(uint64_t);
static void (*period_end)(void);
static char *(*map_watched)(unsigned, size_t);
static void (*touch)(char *);
static void (*for_each)(char *, size_t, void (*)(char *));
static void (*run_thread)(char *);

static void load(void) {
  char path[1024];
  snprintf(path, sizeof path, "%s/late.so", getenv("PAGETIDE_TEST_DIR"));
  void *library = dlopen(path, RTLD_NOW);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  require(library != NULL);
  *(void **)&set_period = dlsym(library, "library_set_period");
  *(void **)&period_end = dlsym(library, "library_end_period");
  *(void **)&map_watched = dlsym(library, "library_arena");
  *(void **)&touch = dlsym(library, "library_touch");
  *(void **)&for_each = dlsym(library, "library_for_each");
  *(void **)&run_thread = dlsym(library, "library_run_thread");
  require(set_period && period_end && map_watched && touch && for_each &&
          run_thread);
  a = map_watched(0, 64 * PAGE);
}

/* Uninstrumented: nobody sees it. */
static void host_touch(char *page) { page[32 * PAGE] = 1; }

static void *work(void *argument) {
  char *mine;
  size_t t = (size_t)argument;
  pthread_barrier_wait(&begin);
  mine = a + t * 8 * PAGE;
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_wait(&begin);
    touch(mine + round * PAGE);
    host_touch(mine);
    for_each(mine + 4 * PAGE, 2, host_touch);
    pthread_barrier_wait(&end);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  require(argc == 2);
  pthread_barrier_init(&begin, NULL, THREADS + 1);
  pthread_barrier_init(&end, NULL, THREADS + 1);
  if (strcmp(argv[1], "before") == 0)
    load();
  for (size_t t = 0; t < THREADS; ++t)
    require(pthread_create(&threads[t], NULL, work, (void *)t) == 0);
  if (strcmp(argv[1], "after") == 0)
    load();
  pthread_barrier_wait(&begin);
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_wait(&begin);
    touch(a + (40 + round) * PAGE);
    pthread_barrier_wait(&end);
    period_end();
  }
  for (size_t t = 0; t < THREADS; ++t)
    pthread_join(threads[t], NULL);
  if (strcmp(argv[1], "before") == 0) {
    run_thread(a + 50 * PAGE);
    period_end();
  }
  return 0;
}

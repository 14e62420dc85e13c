/*===- dlclose.c - Instrumented code that goes, and comes again ------------===*
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

// A library is loaded and unloaded many times: its own pages, unmapped while
// they are marked, are in the set of their period and hashed as gone. Nothing
// of them is left for what is mapped there later.
// RUN: %build_c -O1 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: cp %t.so %t.1.so && cp %t.so %t.2.so && cp %t.so %t.3.so
// RUN: cp %t.so %t.4.so
// RUN: %build_c -O1 %s -o %t && %t %t
// Several dlopens at once bring the first instrumented code into a host that is
// not instrumented.
// RUN: %plain_c -O1 -DHOST %s -o %t.host && %t.host %t
// RUN: %t.host %t && %t.host %t && %t.host %t

#ifdef LIBRARY

/* On pages of its own. */
__attribute__((aligned(4096))) volatile char library_page[4096];
void library_write(int value) { library_page[100] = (char)value; }

#else

#include <dlfcn.h>
#include <pthread.h>

#ifdef HOST
#include "require.h"
#include <stdlib.h>
#else
#include "recording.h"
#endif

static const char *prefix;

static void *load(int number, volatile char **page, void (**write_it)(int)) {
  char path[1024];
  snprintf(path, sizeof path, "%s.%d.so", prefix, number);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  require(library != NULL);
  *(void **)page = dlsym(library, "library_page");
  *(void **)write_it = dlsym(library, "library_write");
  require(*page && *write_it);
  return library;
}

static pthread_barrier_t together;

/* Loads, writes and unloads one library again and again. */
static void *loads(void *argument) {
  int number = (int)(size_t)argument;
  pthread_barrier_wait(&together);
  for (int round = 0; round < 30; ++round) {
    volatile char *page;
    void (*write_it)(int);
    void *library = load(number, &page, &write_it);
    write_it(round);
    require(page[100] == (char)round);
    require(dlclose(library) == 0);
  }
  return NULL;
}

static void load_from_threads(void) {
  pthread_t threads[4];
  pthread_barrier_init(&together, NULL, 4);
  for (size_t t = 0; t < 4; ++t)
    require(pthread_create(&threads[t], NULL, loads, (void *)(t + 1)) == 0);
  for (size_t t = 0; t < 4; ++t)
    require(pthread_join(threads[t], NULL) == 0);
}

#ifdef HOST

int main(int argc, char **argv) {
  require(argc == 2);
  prefix = argv[1];
  load_from_threads();
  return 0;
}

#else

int main(int argc, char **argv) {
  require(argc == 2);
  prefix = argv[1];
  pagetide_config config = driven_config();
  config.checksum = PAGETIDE_CHECKSUM_WRITTEN;
  require_status(pagetide_on_period(see, NULL), PAGETIDE_OK);
  require_status(pagetide_start(&config), PAGETIDE_OK);
  for (int round = 0; round < 10; ++round) {
    volatile char *page;
    void (*write_it)(int);
    void *library = load(1, &page, &write_it);
    require_status(pagetide_watch((const void *)page, PAGE), PAGETIDE_OK);
    write_it(1);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require(flags_of(0, page) & PAGETIDE_WRITTEN);
    require_equal(page_of(page)->state, PAGETIDE_STATE_STABLE);
    write_it(2);
    require(dlclose(library) == 0);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require(flags_of(0, page) & PAGETIDE_WRITTEN);
    require_equal(page_of(page)->state, PAGETIDE_STATE_GONE);
    require_status(pagetide_period_end(), PAGETIDE_OK);
    require_equal(seen_granules(), 0);
    require_status(pagetide_unwatch((const void *)page, PAGE), PAGETIDE_OK);
  }
  load_from_threads();
  require_status(pagetide_stop(), PAGETIDE_OK);
  return 0;
}

#endif
#endif
